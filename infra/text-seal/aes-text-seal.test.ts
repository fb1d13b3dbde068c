import { AesTextSeal } from './aes-text-seal.ts'
import { textSealSuite } from './text-seal.suite.ts'

textSealSuite('a seal with AES-256-GCM', (secret) => new AesTextSeal(secret))
