/**
 * Verdicts that all verifiers come to: ours, and where `SVC_EVIDENCE_LANGUAGES=on` says so those of
 * `examples/verify` too.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type EvidenceVerdict, verifyEvidence } from '@svc/contracts/evidence/verify-evidence'
import { beforeAll, expect } from 'vitest'
import { type ForeignVerifier, foreignVerifiers } from './languages.ts'
import { key, type Shown } from './manipulations.ts'

const BUILD_MS_MAX = 900_000

interface AgreedVerdicts {
  verdictOn(shown: Shown, witnesses?: readonly string[]): Promise<EvidenceVerdict>
}

/** @param scratch a folder */
export function agreedVerdicts(scratch: string): AgreedVerdicts {
  let foreign: readonly ForeignVerifier[] = []
  beforeAll(() => {
    if (process.env.SVC_EVIDENCE_LANGUAGES === 'on') foreign = foreignVerifiers(scratch)
  }, BUILD_MS_MAX)

  return {
    async verdictOn({ file, checkpoint }, witnesses = []) {
      const given = checkpoint === undefined ? {} : { checkpoint }
      const verdict = await verifyEvidence([file], { key, witnesses, ...given })
      if (foreign.length === 0) return verdict
      const path = join(scratch, 'evidence.jsonl')
      const other = join(scratch, 'checkpoint')
      writeFileSync(path, file)
      if (checkpoint !== undefined) writeFileSync(other, checkpoint)
      for (const { name, verify } of foreign) {
        const given = checkpoint === undefined ? undefined : other
        const found = await verify(path, key, given, witnesses)
        expect(found.verdict, name).toEqual(verdict)
        expect(found.code === 0, name).toBe(verdict.verdict === 'ok')
      }
      return verdict
    },
  }
}
