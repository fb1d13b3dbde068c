/**
 * node-llama-cpp on a machine with an NVIDIA GPU and another one. The CPU computes for them. Those
 * that `PRETENDED_BROKEN_GPUS` names end the process once the model is loaded, as llama.cpp does
 * when the driver cannot compile its kernels.
 */
import { getLlama as getRealLlama, type Llama, type LlamaOptions } from 'node-llama-cpp'

export * from 'node-llama-cpp'

const broken = process.env.PRETENDED_BROKEN_GPUS?.split(',') ?? []
const KERNEL_ERROR = 'CUDA error: the provided PTX was compiled with an unsupported toolchain'

export async function getLlamaGpuTypes() {
  return ['cuda', 'vulkan', false]
}

export async function getLlama(options: LlamaOptions): Promise<Llama> {
  const gpu = options.gpu === 'auto' ? 'cuda' : options.gpu
  const llama = await getRealLlama({ ...options, gpu: false })
  if (gpu !== 'cuda' && gpu !== 'vulkan') return llama
  const abort = () => {
    options.logger?.('error' as never, KERNEL_ERROR)
    return process.abort()
  }
  const pretended: Partial<Record<keyof Llama, unknown>> = {
    gpu,
    getGpuDeviceNames: async () => [`pretended ${gpu}`],
    loadModel: async (asked: Parameters<Llama['loadModel']>[0]) => {
      const model = await llama.loadModel({ ...asked, gpuLayers: 0 })
      if (broken.includes(gpu)) model.createContext = abort
      return model
    },
  }
  return new Proxy(llama, {
    get(target, name) {
      if (name in pretended) return pretended[name as keyof Llama]
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
