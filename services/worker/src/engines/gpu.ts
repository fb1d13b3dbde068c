/** Which kind of GPU computes. `auto` takes the best one that is there, which can be the CPU. */
export const gpuChoices = ['off', 'auto', 'cuda', 'vulkan', 'metal'] as const
export type Gpu = (typeof gpuChoices)[number]
