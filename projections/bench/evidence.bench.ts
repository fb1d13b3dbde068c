/**
 * What evidence costs.
 *
 *     npm run bench:evidence -- [--events 1000000] [--leaves 2000000] [--keep FILE] [--json]
 *
 *     verify_NAME_s            an evidence file of an account with NAME events, verified as a
 *                              customer does: a process of its own, from its start to its end
 *     verify_NAME_cpu_s        the same in processor time, on Linux, of all its threads: what to
 *                              compare on a machine that others use too
 *     tree_leaves_per_s        leaves put into the tree of the view and written, in commits of
 *                              2,000, and tree_cpu_us_per_leaf, in processor time
 *     proof_ms                 the median of 200 inclusion proofs of random leaves in that tree,
 *                              each on a file that was just opened, and beside it the slowest,
 *                              and proof_reads: how often one of them reads from the file
 *     checkpoint_ms            the root of that tree, computed and signed
 *     receipt_ms               the median, and the slowest, of the proofs of three events in a row,
 *                              which a receipt needs, on the file that the root was computed from
 *
 * Goals: 10 s for Go and TypeScript, 60 s for Python, at a million events; 150,000 leaves/s; the
 * proof of a receipt in 20 ms at ten million leaves.
 */
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { accountStream } from '@svc/contracts/events/account'
import { checkpointText } from '@svc/contracts/evidence/checkpoint'
import type { EvidenceHeader } from '@svc/contracts/evidence/evidence-file'
import { isIncluded, leafHash } from '@svc/contracts/evidence/merkle-tree'
import { readSignerKey, signerKeyText, signNote } from '@svc/contracts/evidence/signed-note'
import type { AppendOutcome, AppendRequest } from '@svc/contracts/ports/event-store'
import { linkText, type SealedEvent, seal } from '@svc/contracts/ports/hash-chain'
import { AccountHistory, requestId, START_MS } from '@svc/testing/account-history'
import { readOptions } from '@svc/testing/read-options'
import { evidenceProjection } from '../src/views/evidence/evidence.ts'
import { evidenceQueries } from '../src/views/evidence/queries.ts'

const CLI = fileURLToPath(new URL('../../services/cli/src/main.ts', import.meta.url))
const EXAMPLES = fileURLToPath(new URL('../../examples/verify/', import.meta.url))
/**
 * The place of the time of children among the fields behind the name in `/proc/self/stat`, which
 * count ticks.
 */
const CHILDREN_FIELD = 13
/** How long a child may run: above the goals, ten million events included. */
const CHILD_MS_MAX = 3_600_000
const TICKS_PER_SECOND = 100
const LIFECYCLES_PER_APPEND = 100
const COMMIT_LEAVES = 2_000
const BATCH_LEAVES = 250
const PROOFS = 200
const TIME = 1_763_841_600

const values = readOptions({
  events: { type: 'string', default: '1000000' },
  leaves: { type: 'string', default: '2000000' },
  keep: { type: 'string' },
  json: { type: 'boolean', default: false },
})
const signer = readSignerKey(signerKeyText('svc/bench', Buffer.alloc(32, 7)))
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-evidence-'))
const figures: Record<string, number | string> = {
  machine: `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores`,
  load: loadavg()[0] ?? 0,
}
try {
  await measureVerifiers(Number(values.events))
  measureTree(Number(values.leaves))
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`)
} finally {
  rmSync(folder, { recursive: true })
}

async function measureVerifiers(events: number): Promise<void> {
  const file = values.keep ?? join(folder, 'evidence.jsonl')
  figures.events = await writeEvidence(file, events)
  figures.file_mib = Math.round(statSync(file).size / 1024 / 1024)
  const key = signer.verifier.text
  const binary = join(folder, 'verify')
  execFileSync('go', ['build', '-o', binary, '.'], { cwd: EXAMPLES, timeout: CHILD_MS_MAX })
  const commands: Readonly<Record<string, readonly string[]>> = {
    typescript: [process.execPath, CLI, 'verify-evidence', file, '--json', '--key', key],
    python: ['python3', join(EXAMPLES, 'verify.py'), file, key],
    go: [binary, file, key],
  }
  for (const [name, [command = '', ...words]] of Object.entries(commands)) {
    const [startedAt, before] = [performance.now(), childrenSeconds()]
    // A verifier that does not find the file to be right ends with another code than 0.
    execFileSync(command, words, { timeout: CHILD_MS_MAX })
    say(`verify_${name}_s`, (performance.now() - startedAt) / 1_000)
    if (before !== undefined) say(`verify_${name}_cpu_s`, (childrenSeconds() ?? 0) - before)
  }
}

/** Reads the processor time of all processes that were started here and have ended. */
function childrenSeconds(): number | undefined {
  if (!existsSync('/proc/self/stat')) return undefined
  const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(CHILDREN_FIELD, CHILDREN_FIELD + 2)
  return (Number(user) + Number(system)) / TICKS_PER_SECOND
}

/** The whole history of one account, which is the whole log, never all of it in memory. */
async function writeEvidence(path: string, wanted: number): Promise<number> {
  const account = new AccountHistory('Ada').open(START_MS, 10n ** 24n)
  const tree = openTree('file.db')
  const body = `${path}.body`
  const output = openSync(body, 'w')
  let previous = '0'.repeat(64)
  let events = 0
  let last: SealedEvent | undefined
  /** Nothing is kept: what would be appended is written down as evidence. */
  const paper = {
    async append(request: AppendRequest): Promise<AppendOutcome> {
      const { events: sealed, head } = seal(request)
      let lines = ''
      for (const event of sealed) {
        lines += `${linkText(previous, event)}\n`
        previous = event.hash
      }
      writeSync(output, lines)
      tree.add(sealed.map(({ hash }) => hash))
      events += sealed.length
      last = sealed.at(-1)
      return { kind: 'appended', head, position: BigInt(events) }
    },
  }
  for (let made = 0; events < wanted; ) {
    for (let count = 0; count < LIFECYCLES_PER_APPEND; count += 1, made += 1) {
      const id = requestId(START_MS + made, `${made}`)
      account.accept(id, START_MS + made).settle(id, START_MS + made)
    }
    await account.writeTo(paper)
  }
  closeSync(output)
  tree.flush()
  if (last === undefined) throw new Error('nothing was written')
  const views = evidenceQueries(tree.database)
  const header: EvidenceHeader = {
    svc_evidence: 1,
    stream: accountStream(account.accountId),
    request: null,
    events,
    checkpoint: checkpointOver(views, events),
    proofs: [
      {
        event: events,
        leaf: events - 1,
        hashes: views.inclusionProof(events - 1, events).map(hex),
      },
    ],
    consistency: [],
    rotations: [],
  }
  const whole = openSync(path, 'w')
  writeSync(whole, `${JSON.stringify(header)}\n`)
  closeSync(whole)
  execFileSync('sh', ['-c', 'cat "$1" >> "$2"', 'sh', body, path], { timeout: CHILD_MS_MAX })
  rmSync(body)
  tree.database.close()
  return events
}

function checkpointOver(views: ReturnType<typeof evidenceQueries>, size: number): string {
  const root = Buffer.from(views.treeRoot(size))
  return signNote(checkpointText({ origin: 'svc/bench', size, root, time: TIME }), signer)
}

function measureTree(leaves: number): void {
  figures.leaves = leaves
  const tree = openTree('tree.db')
  const hashes = Array.from({ length: BATCH_LEAVES }, (_, n) => `${n}`.padStart(64, '0'))
  const [startedAt, before] = [performance.now(), process.cpuUsage()]
  for (let count = 0; count < leaves; count += BATCH_LEAVES) tree.add(hashes)
  tree.flush()
  const { user, system } = process.cpuUsage(before)
  say('tree_cpu_us_per_leaf', (user + system) / leaves)
  say('tree_leaves_per_s', Math.round((leaves / (performance.now() - startedAt)) * 1_000))
  tree.database.close()
  const file = join(folder, 'tree.db')
  figures.tree_mib = Math.round(statSync(file).size / 1024 / 1024)
  const reads: number[] = []
  sayTimes('proof', (leaf) => {
    const database = new DatabaseSync(file, { readOnly: true })
    const [begin, before] = [performance.now(), fileReads()]
    const views = evidenceQueries(database)
    const proof = views.inclusionProof(leaf, leaves)
    const ms = performance.now() - begin
    reads.push(fileReads() - before)
    const entry = Buffer.from(hashes[leaf % BATCH_LEAVES] ?? '', 'hex')
    const claim = { leaf: leafHash(entry), index: leaf, size: leaves, proof }
    if (!isIncluded({ ...claim, root: views.treeRoot(leaves) })) throw new Error('no proof')
    database.close()
    return ms
  })
  say('proof_reads', reads.toSorted((a, b) => a - b)[PROOFS / 2] ?? 0)
  const database = new DatabaseSync(file, { readOnly: true })
  const views = evidenceQueries(database)
  const begin = performance.now()
  checkpointOver(views, leaves)
  say('checkpoint_ms', performance.now() - begin)
  sayTimes('receipt', (leaf) => {
    const startedAt = performance.now()
    for (const event of [leaf, leaf + 1, leaf + 2]) {
      views.inclusionProof(Math.min(event, leaves - 1), leaves)
    }
    return performance.now() - startedAt
  })
  database.close()

  function sayTimes(name: string, measure: (leaf: number) => number): void {
    const times = Array.from({ length: PROOFS }, (_, n) => measure((n * 7_919_993 + 1) % leaves))
    const sorted = times.toSorted((a, b) => a - b)
    say(`${name}_ms`, sorted[PROOFS / 2] ?? 0)
    say(`slowest_${name}_ms`, sorted.at(-1) ?? 0)
  }
}

/** Counts how often this process has read from a file, on Linux; otherwise 0. */
function fileReads(): number {
  if (!existsSync('/proc/self/io')) return 0
  return Number(/syscr: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
}

/** The tree of the view, without the runner that feeds it. */
function openTree(name: string) {
  const database = new DatabaseSync(join(folder, name))
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  database.exec(evidenceProjection.schema)
  const projector = evidenceProjection.projector(database)
  let position = 0n
  let unwritten = 0
  const flush = () => {
    database.exec('BEGIN')
    projector.flush()
    database.exec('COMMIT')
    unwritten = 0
  }
  const add = (hashes: readonly string[]) => {
    const recorded = hashes.map((hash) => {
      const event = { stream: 'account-acct_1', position, hash }
      position += 1n
      return event
    })
    projector.fold([], recorded as unknown as Parameters<typeof projector.fold>[1])
    unwritten += hashes.length
    if (unwritten >= COMMIT_LEAVES) flush()
  }
  return { database, add, flush }
}

function say(name: string, value: number): void {
  figures[name] = Math.round(value * 100) / 100
  process.stderr.write(`${name} ${figures[name]}\n`)
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
