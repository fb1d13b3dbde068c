/**
 * A conversation: kept in this browser only, for one user with one account, and gone when it is
 * cleared.
 */

export interface ChatSettings {
  /** What the model is told before everything else; empty where it is told nothing. */
  readonly system: string
  /** Tokens of an answer. */
  readonly maxTokens: number
  /** From 0, which always takes the likeliest word, to 2. */
  readonly temperature: number
}

export interface AnswerUse {
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
  /** Exact dollars; null when the answer broke off before it was told. */
  readonly cost: string | null
}

export type AnswerEnd = 'running' | 'whole' | 'cut' | 'stopped' | 'failed'

export interface Question {
  readonly role: 'user'
  readonly text: string
}

export interface GivenAnswer {
  readonly role: 'assistant'
  readonly text: string
  /** What the model thought before it answered. */
  readonly thinking: string
  readonly end: AnswerEnd
  /** Why it failed, for people. */
  readonly problem?: string
  /** Finds its receipt. */
  readonly requestId?: string
  readonly use?: AnswerUse
  /** Milliseconds from the question to the first word of the answer. */
  readonly firstTokenMs?: number
}

export type Message = Question | GivenAnswer

export interface Conversation {
  readonly messages: readonly Message[]
  readonly settings: ChatSettings
  /** What stands in the field and is not sent yet. */
  readonly draft: string
}

export const newConversation: Conversation = {
  messages: [],
  settings: { system: '', maxTokens: 512, temperature: 0.7 },
  draft: '',
}

/** Messages that are kept over a reload. */
const KEPT_MESSAGES_MAX = 200

/** Whose conversation it is: the next who signs in in this browser has their own. */
export interface Talkers {
  readonly accountId: string
  readonly userId: string
}

export function readConversation(talkers: Talkers): Conversation {
  try {
    // Earlier versions kept one conversation for all users of a browser: nobody knows whose it is.
    localStorage.removeItem(`svc-chat-${talkers.accountId}`)
    const text = localStorage.getItem(nameOf(talkers))
    if (text === null) return newConversation
    const read = { ...newConversation, ...(JSON.parse(text) as Partial<Conversation>) }
    return { ...read, messages: read.messages.map(ended) }
  } catch {
    return newConversation
  }
}

export function keepConversation(talkers: Talkers, conversation: Conversation): void {
  const messages = conversation.messages.slice(-KEPT_MESSAGES_MAX)
  try {
    localStorage.setItem(nameOf(talkers), JSON.stringify({ ...conversation, messages }))
  } catch {
    // Storage is full or switched off: the conversation lasts as long as the page.
  }
}

/** An answer that ran when the page was left was stopped by that. */
function ended(message: Message): Message {
  return message.role === 'assistant' && message.end === 'running'
    ? { ...message, end: 'stopped' }
    : message
}

function nameOf({ accountId, userId }: Talkers): string {
  return `svc-chat-${accountId}-${userId}`
}
