/**
 * Names what the last digits of a GPU's results depend on, beside the model and the release of
 * llama.cpp: the GPU itself, its driver, the libraries that multiply matrices for it, and the build
 * of llama.cpp's own kernels. They are the machine's own, so two workers of one release can have
 * different ones.
 */
import { statSync } from 'node:fs'
import { basename } from 'node:path'
import type { Llama } from 'node-llama-cpp'
import { mappedFiles } from '../../process/mapped-files.ts'
import type { GpuFacts } from '../engine.ts'

/** Loaded with the GPU. Those that come later, a compiler for one, are of the driver's version. */
const GPU_LIBRARIES = [
  ...['cuda', 'cudart', 'cublas', 'cublasLt'],
  ...['vulkan_[\\w-]+', 'GLX_nvidia', 'nvidia-glcore'],
  ...['ggml-cuda', 'ggml-vulkan'],
]
const GPU_LIBRARY = new RegExp(`^lib(?:${GPU_LIBRARIES.join('|')})\\.so[\\d.]*$`)

/** @returns null where the CPU computes */
export async function gpuIdentity(llama: Llama): Promise<GpuFacts | null> {
  if (llama.gpu === false) return null
  const names = await llama.getGpuDeviceNames()
  const libraries = gpuLibraries(mappedFiles(), (path) => statSync(path).size)
  return { name: names.join(', '), libraries }
}

/**
 * @param maps as Linux lists the files that a process has mapped
 * @param sizeOf tells the bytes of a file: not all of them have a version in their names
 * @returns name and size of each library of a GPU, in the order of the alphabet
 */
export function gpuLibraries(maps: string, sizeOf: (path: string) => number): readonly string[] {
  const paths = maps.split('\n').map((line) => /\s(\/.+)$/.exec(line)?.[1] ?? '')
  const libraries = new Set(paths.filter((path) => GPU_LIBRARY.test(basename(path))))
  return [...libraries].map((path) => `${basename(path)} (${sizeOf(path)} bytes)`).toSorted()
}
