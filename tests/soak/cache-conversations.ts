/**
 * The conversations of the cache's soak test, the same ones for the same seed. Two kinds:
 *
 *     text     messages, and the model's own answers in the prompts of later turns
 *     tokens   prompts that end on, just before or just after the end of a block
 *
 * Some begin alike, within a tenant and across tenants: the cache has to tell these apart.
 */
import { BLOCK_TOKENS_MAX } from '@svc/contracts/ports/prefix-store'
import type { PromptMessage } from '@svc/contracts/worker/protocol'
import { assistant, system, user } from '@svc/testing/protocol-client'
import { Random } from '@svc/testing/random'

const TENANTS = ['tenant-1', 'tenant-2', 'tenant-3', 'tenant-4', 'tenant-5']
const TURNS_MAX = 4
const OUTPUT_TOKENS_MAX = 8
const TEXT_SHARE = 0.5
/** Of the conversations with a system prompt: those whose system prompt all tenants have. */
const SHARED_SYSTEM_SHARE = 0.5
const SHARED_SYSTEMS = 4
const WITHOUT_SYSTEM_SHARE = 0.15
const SYSTEM_WORDS = [12, 120] as const
const QUESTION_WORDS = [3, 25] as const
/** Beginnings of conversations of tokens, which all tenants have. */
const BEGINNINGS = 6
const BLOCKS_OF_FIRST_TURN_MAX = 3
const BLOCKS_OF_LATER_TURN_MAX = 1
/** Tokens more or less than whole blocks. */
const AROUND_BLOCK_TOKENS = 2
/** Ordinary tokens of the bundled model: none of its control tokens. */
const TOKENS = 2_000
const WORDS = [
  ...['hello', 'world', 'water', 'Norway', 'capital', 'city', 'seven', 'the', 'is', 'of', 'a'],
  ...['tell', 'me', 'about', 'fox', 'Mira', 'price', 'token', 'friend', 'winter', 'Ünïcödé', '42'],
]

/** The prompts of one conversation, each made of the ones before it. */
export interface Conversation {
  readonly tenant: string
  readonly turns: number
  /** Of each turn: a random number that says where it is asked. */
  readonly lots: readonly number[]
  readonly maxOutputTokens: number
  /** @param tokenize what the model makes of messages */
  prompt(turn: number, tokenize: Tokenize): Promise<readonly number[]>
  /** Hands in the answer to the last prompt. */
  answered(text: string): void
}

export type Tokenize = (
  tenant: string,
  messages: readonly PromptMessage[],
) => Promise<readonly number[]>

/** @param index which one of the seed's conversations */
export function conversationOf(seed: number, index: number): Conversation {
  const random = seeded(seed, 'conversation', index)
  const tenant = random.pick(TENANTS)
  const turns = 1 + Math.min(random.integer(TURNS_MAX), random.integer(TURNS_MAX))
  const lots = Array.from({ length: turns }, () => random.integer(2 ** 16))
  const maxOutputTokens = 1 + random.integer(OUTPUT_TOKENS_MAX)
  const common = { tenant, turns, lots, maxOutputTokens }
  return random.next() < TEXT_SHARE
    ? new TextConversation(common, textsOf(seed, tenant, turns, random))
    : new TokenConversation(common, tokensOf(seed, turns, random))
}

type Common = Pick<Conversation, 'tenant' | 'turns' | 'lots' | 'maxOutputTokens'>

interface Texts {
  readonly system: string | null
  readonly questions: readonly string[]
}

function textsOf(seed: number, tenant: string, turns: number, random: Random): Texts {
  const shared = random.next() < SHARED_SYSTEM_SHARE
  const number = shared ? random.integer(SHARED_SYSTEMS) : TENANTS.indexOf(tenant)
  const source = seeded(seed, shared ? 'shared system' : 'own system', number)
  return {
    system: random.next() < WITHOUT_SYSTEM_SHARE ? null : words(source, SYSTEM_WORDS),
    questions: Array.from({ length: turns }, () => words(random, QUESTION_WORDS)),
  }
}

class TextConversation implements Conversation {
  readonly tenant: string
  readonly turns: number
  readonly lots: readonly number[]
  readonly maxOutputTokens: number
  readonly #messages: PromptMessage[]
  readonly #questions: readonly string[]

  constructor(common: Common, texts: Texts) {
    this.tenant = common.tenant
    this.turns = common.turns
    this.lots = common.lots
    this.maxOutputTokens = common.maxOutputTokens
    this.#messages = texts.system === null ? [] : [system(texts.system)]
    this.#questions = texts.questions
  }

  prompt(turn: number, tokenize: Tokenize): Promise<readonly number[]> {
    this.#messages.push(user(this.#questions[turn] ?? ''))
    return tokenize(this.tenant, this.#messages)
  }

  answered(text: string): void {
    this.#messages.push(assistant(text))
  }
}

/** All the tokens of the last prompt, and where the prompts before it end. */
interface Growth {
  readonly tokens: readonly number[]
  readonly lengths: readonly number[]
}

function tokensOf(seed: number, turns: number, random: Random): Growth {
  const lengths: number[] = []
  let blocks = 0
  for (let turn = 0; turn < turns; turn += 1) {
    const most = turn === 0 ? BLOCKS_OF_FIRST_TURN_MAX : BLOCKS_OF_LATER_TURN_MAX
    blocks += 1 + random.integer(most)
    const around = random.integer(2 * AROUND_BLOCK_TOKENS + 1) - AROUND_BLOCK_TOKENS
    lengths.push(blocks * BLOCK_TOKENS_MAX + around)
  }
  const length = lengths.at(-1) ?? 0
  // The beginning that others have as well may end anywhere in the prompt.
  const alike = random.integer(length + 1)
  const beginning = seeded(seed, 'beginning', random.integer(BEGINNINGS))
  const tokens = Array.from({ length }, (_, position) =>
    (position < alike ? beginning : random).integer(TOKENS),
  )
  return { tokens, lengths }
}

class TokenConversation implements Conversation {
  readonly tenant: string
  readonly turns: number
  readonly lots: readonly number[]
  readonly maxOutputTokens: number
  readonly #growth: Growth

  constructor(common: Common, growth: Growth) {
    this.tenant = common.tenant
    this.turns = common.turns
    this.lots = common.lots
    this.maxOutputTokens = common.maxOutputTokens
    this.#growth = growth
  }

  prompt(turn: number): Promise<readonly number[]> {
    return Promise.resolve(this.#growth.tokens.slice(0, this.#growth.lengths[turn]))
  }

  answered(): void {}
}

function words(random: Random, [fewest, most]: readonly [number, number]): string {
  const count = fewest + random.integer(most - fewest + 1)
  return Array.from({ length: count }, () => random.pick(WORDS)).join(' ')
}

/** A source of its own for each purpose, so that one purpose does not change another. */
export function seeded(seed: number, purpose: string, number: number): Random {
  const mixed = [...`${purpose} ${number}`].reduce(
    (sum, character) => Math.imul(sum ^ (character.codePointAt(0) ?? 0), 0x01000193),
    seed ^ 0x811c9dc5,
  )
  return new Random(mixed)
}
