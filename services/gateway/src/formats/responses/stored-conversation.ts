/**
 * What one request reads of the responses that were stored before it: the conversation that it goes
 * on from, and items that it names instead of sending them. Each response is read once, however
 * often it is named, and all of them together have a bound.
 */
import { ServiceError } from '@svc/contracts/errors'
import { responseIdOfItem } from './items/ids.ts'
import { distinctItems, type Item } from './items/items.ts'
import type { ReadResponse, ResponseStore } from './response-store.ts'

/** Responses of one conversation that are gone back through. */
const CHAIN_RESPONSES_MAX = 1_024
/** Characters of JSON that one request reads: far more than fits the context of a model. */
const CHARACTERS_MAX = 16 * 1024 * 1024

export class StoredConversation {
  readonly #store: Pick<ResponseStore, 'read'>
  readonly #accountId: string
  readonly #read = new Map<string, ReadResponse | undefined>()
  readonly #items = new Map<string, Map<string, Item>>()
  #characters = 0

  constructor(store: Pick<ResponseStore, 'read'>, accountId: string) {
    this.#store = store
    this.#accountId = accountId
  }

  /**
   * Reads all items up to and with a response, the oldest first: of each response its input, then
   * its output, and each item once.
   *
   * @throws {ServiceError} when one of them is not there, or they are too many
   */
  async upTo(responseId: string): Promise<readonly Item[]> {
    const chain: Item[][] = []
    // An older version stored the empty id of a request that went on from nothing.
    for (let id: string | null = responseId; id; ) {
      const found: ReadResponse | undefined = await this.#response(id, 'previous_response_id')
      if (found === undefined) throw notFound(id)
      if (chain.length >= CHAIN_RESPONSES_MAX) throw tooLong('previous_response_id')
      const { input, response } = found.stored
      chain.push([...input, ...response.output])
      id = response.previous_response_id
    }
    // An older version stored items that a request named beside their response again.
    return distinctItems(chain.reverse().flat())
  }

  /** An item of a stored response, by its own name. @throws {ServiceError} when that is too much */
  async item(itemId: string): Promise<Item | undefined> {
    const responseId = responseIdOfItem(itemId)
    if (responseId === undefined) return undefined
    const read = await this.#response(responseId, 'input')
    if (read === undefined) return undefined
    const items = this.#items.get(responseId) ?? itemsOf(read)
    this.#items.set(responseId, items)
    return items.get(itemId)
  }

  async #response(id: string, param: string): Promise<ReadResponse | undefined> {
    if (this.#read.has(id)) return this.#read.get(id)
    const read = await this.#store.read(this.#accountId, id)
    this.#characters += read?.characters ?? 0
    if (this.#characters > CHARACTERS_MAX) throw tooLong(param)
    this.#read.set(id, read)
    return read
  }
}

function itemsOf({ stored: { input, response } }: ReadResponse): Map<string, Item> {
  const items: readonly Item[] = [...input, ...response.output]
  return new Map(items.map((item) => [item.id, item]))
}

function notFound(id: string): ServiceError {
  const shown = JSON.stringify(id.slice(0, 64))
  const message =
    `No response ${shown} is stored for this account. Responses are kept for 30 days unless ` +
    'store is false; without one, send the whole conversation as input.'
  return new ServiceError('previous_response_not_found', message, {
    param: 'previous_response_id',
  })
}

function tooLong(param: string): ServiceError {
  const message = 'The conversation is too long to go on from: send the part that matters as input.'
  return new ServiceError('context_length_exceeded', message, { param })
}
