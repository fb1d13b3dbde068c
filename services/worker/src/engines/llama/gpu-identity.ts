/**
 * Names what the last digits of a GPU's results depend on, beside the model and llama.cpp: the GPU
 * itself, its driver, and the libraries that multiply matrices for it. They are the machine's own,
 * so two workers of one release can have different ones.
 */
import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { Llama } from 'node-llama-cpp'
import type { GpuFacts } from '../engine.ts'

/** Loaded with the GPU. Those that come later, a compiler for one, are of the driver's version. */
const GPU_LIBRARY =
  /^lib(?:cuda|cudart|cublas|cublasLt|vulkan_[\w-]+|GLX_nvidia|nvidia-glcore)\.so[\d.]*$/

/** @returns null where the CPU computes */
export async function gpuIdentity(llama: Llama): Promise<GpuFacts | null> {
  if (llama.gpu === false) return null
  const names = await llama.getGpuDeviceNames()
  const libraries = gpuLibraries(mappedFiles(), (path) => statSync(path).size)
  return { name: names.join(', '), libraries }
}

/**
 * @param maps as Linux lists the files that a process has mapped
 * @param sizeOf tells the bytes of a file; drivers of Mesa have no version in their names
 * @returns name and size of each library of a GPU, in the order of the alphabet
 */
export function gpuLibraries(maps: string, sizeOf: (path: string) => number): readonly string[] {
  const paths = maps.split('\n').map((line) => /\s(\/.+)$/.exec(line)?.[1] ?? '')
  const libraries = new Set(paths.filter((path) => GPU_LIBRARY.test(basename(path))))
  return [...libraries].map((path) => `${basename(path)} (${sizeOf(path)} bytes)`).toSorted()
}

/** Empty where the system does not tell. */
function mappedFiles(): string {
  try {
    return readFileSync('/proc/self/maps', 'utf8')
  } catch {
    return ''
  }
}
