import { expect, it } from 'vitest'
import { gpuLibraries } from './gpu-identity.ts'

const maps = `7f1000000000-7f1000021000 rw-p 00000000 00:00 0
7f2000000000-7f2000400000 r--p 00000000 fe:00 11  /usr/lib/x86_64-linux-gnu/libcuda.so.580.159.04
7f2000400000-7f2000800000 r-xp 00400000 fe:00 11  /usr/lib/x86_64-linux-gnu/libcuda.so.580.159.04
7f3000000000-7f3000400000 r--p 00000000 fe:00 12  /usr/local/cuda-13.0/lib 64/libcublas.so.13.1.0.3
7f4000000000-7f4000400000 r--p 00000000 fe:00 13  /usr/lib/x86_64-linux-gnu/libvulkan_radeon.so
7f5000000000-7f5000400000 r--p 00000000 fe:00 14  /usr/lib/libnvidia-ptxjitcompiler.so.580
7f6000000000-7f6000400000 r--p 00000000 fe:00 15  /app/libggml-cuda.so
7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0   [stack]
`

it('names each library of a GPU once, with its version or at least its size', () => {
  const sizes: Readonly<Record<string, number>> = { 'libvulkan_radeon.so': 4_096 }
  const sizeOf = (path: string) => sizes[path.split('/').at(-1) ?? ''] ?? 8_192
  expect(gpuLibraries(maps, sizeOf)).toEqual([
    'libcublas.so.13.1.0.3 (8192 bytes)',
    'libcuda.so.580.159.04 (8192 bytes)',
    'libggml-cuda.so (8192 bytes)',
    'libvulkan_radeon.so (4096 bytes)',
  ])
})

it('names none where the system lists no files', () => {
  expect(gpuLibraries('', () => 0)).toEqual([])
})
