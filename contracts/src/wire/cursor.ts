/**
 * The place where a list goes on, as a caller hands it back: opaque text that the list itself gave.
 */
import { z } from 'zod'

const CURSOR_CHARACTERS_MAX = 200

export const cursor = z.string().min(1, 'must not be empty').max(CURSOR_CHARACTERS_MAX)
