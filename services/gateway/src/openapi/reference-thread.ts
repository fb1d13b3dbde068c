/** The thread in which the reference of the API is made: it says both texts and ends. */
import { parentPort, workerData } from 'node:worker_threads'
import { openApiDocument } from './document.ts'
import { referencePage } from './page.ts'
import type { ReferenceOptions, ReferenceTexts } from './reference.ts'

const { version, publicUrl } = workerData as ReferenceOptions
const document = openApiDocument(version, { serverUrl: publicUrl })
const texts: ReferenceTexts = { document: JSON.stringify(document), page: referencePage(document) }
parentPort?.postMessage(texts)
