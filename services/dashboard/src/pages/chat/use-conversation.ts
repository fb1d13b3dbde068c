import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { noteRefusal } from '../../api/queries.ts'
import { problemText } from '../../text/problems.ts'
import { t } from '../../text/translate.ts'
import { type StreamPart, streamAnswer } from './chat-stream.ts'
import {
  type Conversation,
  type GivenAnswer,
  keepConversation,
  newConversation,
  readConversation,
  type Talkers,
} from './conversation.ts'
import { settledUse } from './settled-use.ts'

const begun: GivenAnswer = { role: 'assistant', text: '', thinking: '', end: 'running' }

export interface OpenConversation {
  readonly conversation: Conversation
  readonly isRunning: boolean
  readonly change: (changed: Partial<Conversation>) => void
  /** Asks what stands in the draft. */
  readonly ask: () => void
  readonly stop: () => void
  readonly clear: () => void
}

/** The conversation with an account's model, and the one answer that may be under way. */
export function useConversation({ accountId, userId }: Talkers): OpenConversation {
  const [conversation, setConversation] = useState(() => readConversation({ accountId, userId }))
  const [running, setRunning] = useState<AbortController>()
  const client = useQueryClient()
  const kept = useRef(conversation)
  kept.current = conversation
  useEffect(
    () => keepConversation({ accountId, userId }, conversation),
    [accountId, userId, conversation],
  )
  useEffect(() => () => running?.abort(), [running])

  const change = (changed: Partial<Conversation>) =>
    setConversation((before) => ({ ...before, ...changed }))
  const changeAnswer = (change: (answer: GivenAnswer) => GivenAnswer) =>
    setConversation((before) => ({ ...before, messages: changeLast(before.messages, change) }))

  const ask = async () => {
    const text = kept.current.draft.trim()
    if (text === '' || running !== undefined) return
    const controller = new AbortController()
    const asked = [...kept.current.messages, { role: 'user', text } as const]
    setRunning(controller)
    change({ draft: '', messages: [...asked, begun] })
    const { signal } = controller
    const { settings } = kept.current
    await answer({ accountId, messages: asked, settings, signal }, changeAnswer, () =>
      // Refused before it began, such as without credit: the question goes back into the field.
      change({ draft: text }),
    )
    setRunning(undefined)
    await client.invalidateQueries()
  }
  return {
    conversation,
    isRunning: running !== undefined,
    change,
    ask: () => void ask(),
    stop: () => running?.abort(),
    clear: () => setConversation({ ...newConversation, settings: conversation.settings }),
  }
}

type ChangeAnswer = (change: (answer: GivenAnswer) => GivenAnswer) => void

async function answer(
  question: Parameters<typeof streamAnswer>[0],
  changeAnswer: ChangeAnswer,
  onRefused: () => void,
): Promise<void> {
  const askedAt = performance.now()
  let requestId: string | null = null
  let isAccepted = false
  try {
    for await (const part of streamAnswer(question)) {
      isAccepted = true
      if (part.kind === 'accepted') requestId = part.requestId
      changeAnswer((before) => withPart(before, part, performance.now() - askedAt))
    }
    return
  } catch (error) {
    const isStopped = question.signal.aborted
    if (!isAccepted && !isStopped) onRefused()
    const problem = isStopped ? {} : { problem: failureText(error) }
    changeAnswer((before) => ({ ...before, ...problem, end: isStopped ? 'stopped' : 'failed' }))
  }
  const use = requestId === null ? null : await settledUse(question.accountId, requestId)
  if (use !== null) changeAnswer((before) => ({ ...before, use }))
}

function withPart(answer: GivenAnswer, part: StreamPart, sinceMs: number): GivenAnswer {
  switch (part.kind) {
    case 'accepted':
      return part.requestId === null ? answer : { ...answer, requestId: part.requestId }
    case 'thinking':
      return { firstTokenMs: sinceMs, ...answer, thinking: answer.thinking + part.text }
    case 'text':
      return { firstTokenMs: sinceMs, ...answer, text: answer.text + part.text }
    case 'use':
      return { ...answer, use: part.use }
    case 'end':
      return { ...answer, end: part.isCut ? 'cut' : 'whole' }
  }
}

function changeLast(
  messages: Conversation['messages'],
  change: (answer: GivenAnswer) => GivenAnswer,
): Conversation['messages'] {
  return messages.map((message, index) =>
    index === messages.length - 1 && message.role === 'assistant' ? change(message) : message,
  )
}

function failureText(error: unknown): string {
  if (!(error instanceof ApiError)) return t('streamCut')
  noteRefusal(error)
  return error.code === 'stream_cut' ? t('streamCut') : problemText(error)
}
