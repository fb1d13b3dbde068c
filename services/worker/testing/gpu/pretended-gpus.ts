/**
 * Loaded by `NODE_OPTIONS=--import`: puts {@link file://./pretended-runtime.ts} in the place of
 * node-llama-cpp, so that there seem to be GPUs.
 */
import { registerHooks } from 'node:module'

const runtime = import.meta.resolve('./pretended-runtime.ts')

registerHooks({
  resolve(specifier, context, next) {
    return specifier === 'node-llama-cpp' && context.parentURL !== runtime
      ? { url: runtime, shortCircuit: true }
      : next(specifier, context)
  },
})

// It is loaded here already, so that an error in it shows before anything of the worker.
await import('./pretended-runtime.ts')
