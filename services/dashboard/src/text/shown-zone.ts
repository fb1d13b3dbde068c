import { createContext } from 'react'
import { ownZone } from './times.ts'

/** The zone in which a page shows times: that of its address, or else that of the reader. */
export const ShownZone = createContext(ownZone)
