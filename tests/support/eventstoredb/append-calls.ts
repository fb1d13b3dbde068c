/** The two calls that append: one stream of many appends, and one call for one append. */
import type { Admission } from './admission.ts'
import { batchAnswer, classicAnswer } from './append-answers.ts'
import type { AppendQueue } from './append-queue.ts'
import type { GrpcCall } from './grpc-call.ts'
import {
  type AppendPart,
  type ProposedAppend,
  readAppendPart,
  readBatchPart,
} from './proposed-append.ts'
import type { ProposedEvent } from './stored-event.ts'

/** An append of which more parts may come. */
type OpenAppend = ProposedAppend & { readonly events: ProposedEvent[] }

/** Serves `BatchAppend`: appends come in parts and are answered by the id that each was given. */
export function serveBatchAppend(call: GrpcCall, admission: Admission, queue: AppendQueue): void {
  const open = new Map<string, OpenAppend>()
  // The real server looks at the user once, however long the call lives.
  const isRefused = admission.credentialsRefusal(call) !== undefined
  call.receive(
    (message) => {
      const notLeader = admission.leaderRefusal(call)
      if (notLeader !== undefined) return call.finish(notLeader)
      const { correlationId, isFinal, ...part } = readBatchPart(message)
      const append = joined(open.get(correlationId), part)
      if (!isFinal) {
        open.set(correlationId, append)
        return
      }
      open.delete(correlationId)
      const answer = (said: Parameters<typeof batchAnswer>[2]): void =>
        call.send(batchAnswer(correlationId, append, said))
      const mayWrite = admission.mayDo(call, { right: '$w', stream: append.stream })
      if (isRefused || !mayWrite) answer({ kind: 'access denied' })
      else if (!admission.isReady) answer({ kind: 'not ready' })
      else queue.submit(append, { peerPort: call.peerPort, answer })
    },
    () => call.finish(),
  )
}

/** Serves `Append`: the options, then one event a message, and one answer after the last. */
export function serveAppend(call: GrpcCall, admission: Admission, queue: AppendQueue): void {
  let append: OpenAppend | undefined
  call.receive(
    (message) => {
      append = joined(append, readAppendPart(message))
    },
    () => {
      const whole = joined(append, { events: [] })
      const refusal = admission.refusal(call, { right: '$w', stream: whole.stream })
      if (refusal !== undefined) return call.finish(refusal)
      queue.submit(whole, {
        peerPort: call.peerPort,
        answer: (said) => {
          const answer = classicAnswer(whole, said)
          if ('frame' in answer) call.answer(answer.frame)
          else call.finish(answer.end)
        },
      })
    },
  )
}

function joined(before: OpenAppend | undefined, part: AppendPart): OpenAppend {
  if (before === undefined) {
    const head = part.head ?? { stream: '', expected: 'any' }
    return { ...head, events: [...part.events] }
  }
  for (const event of part.events) before.events.push(event)
  return before
}
