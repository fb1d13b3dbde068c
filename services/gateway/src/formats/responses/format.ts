/** The Responses format. */
import type { TextSeal } from '@svc/contracts/ports/text-seal'
import { droppedToolsHeader } from '../dropped-tools.ts'
import type {
  AnswerEnding,
  AnswerHeading,
  AnswerPart,
  InferenceFormat,
  ParsedInference,
} from '../inference-request.ts'
import { Output } from './output/output.ts'
import { type ParsedResponses, parseResponsesRequest } from './parse.ts'
import { endedResponse, openResponse, type ResponseObject } from './response-object.ts'
import { ResponseStore, type ResponseStorePorts } from './response-store.ts'
import { ResponsesStream } from './stream.ts'

export interface ResponsesFormatPorts extends ResponseStorePorts {
  /** Seals what clients carry for us: `encrypted_content`. */
  readonly textSeal: TextSeal
}

export function responsesFormat(ports: ResponsesFormatPorts): InferenceFormat {
  const store = new ResponseStore(ports)
  const now = () => Math.floor(ports.clock.nowMs() / 1_000)
  return {
    name: 'responses',
    async parse(body, context) {
      const parsed = await parseResponsesRequest(body, context, { ...ports, store })
      let ended: ResponseObject | undefined
      const onEnd = (response: ResponseObject) => {
        ended = response
      }
      const inference: ParsedInference = {
        request: parsed.request,
        headers: droppedToolsHeader(parsed.droppedTools),
        render(heading, parts, ending) {
          const response = wholeResponse(parsed, heading, parts, ending, now())
          onEnd(response)
          return JSON.stringify(response)
        },
        stream: (heading) => new ResponsesStream({ parsed, heading, now, onEnd }),
      }
      if (!parsed.shown.store) return inference
      const keep = async () => {
        if (ended !== undefined) await store.save(context.accountId, ended, parsed.input)
      }
      return { ...inference, keep }
    },
  }
}

/** @param completedAt seconds since 1970 */
export function wholeResponse(
  parsed: ParsedResponses,
  heading: AnswerHeading,
  parts: readonly AnswerPart[],
  ending: AnswerEnding,
  completedAt: number,
): ResponseObject {
  const output = new Output({ ...parsed, requestId: heading.requestId })
  for (const part of parts) output.take(part)
  output.end(ending.finishReason === 'length')
  const open = openResponse(parsed.shown, heading)
  return endedResponse(open, output.items(), ending, completedAt)
}
