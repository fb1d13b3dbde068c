/**
 * The bundled demo model: a toy that we trained from scratch, so that the whole platform can be
 * tried without a download. `README.md` beside this file says what it can and cannot do.
 */
import { fileURLToPath } from 'node:url'

/** The absolute path of the GGUF file. */
export const demoModelPath: string = fileURLToPath(new URL('demo.gguf', import.meta.url))

/** The SHA-256 of the file, in hex. The worker refuses a bundled model with another hash. */
export const demoModelSha256 = 'eea28d5ab35fd8c9d0c5bc23d29bb932c54dbc057c4c5d0aaf9ae2d1b589de37'

/** The name under which the model is sold and shown. */
export const demoModelName = 'svc-demo'
