/** Texts beside the log against what the events say of them, in their order. */
import { accountStream } from '@svc/contracts/events/account'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import { MemoryTextStore } from '@svc/infra/text-store/memory/memory-text-store'
import { expect, test } from 'vitest'
import { TextsCheck } from './texts-check.ts'

const ACCOUNT = 'acct_a'
const stream = accountStream(ACCOUNT)

/** Events of one account, whose words are kept as they come. */
async function account() {
  const texts = new MemoryTextStore()
  const events: Pick<RecordedEvent, 'stream' | 'revision' | 'type' | 'data'>[] = []
  const add = (type: string, data: string) => {
    events.push({ stream, revision: events.length, type, data })
  }
  return {
    texts,
    async says(text: string) {
      add('AccountRenamed', JSON.stringify({ name: await texts.keep(ACCOUNT, text) }))
    },
    /** @param isFinished whether the texts went too, and the process was not killed in between */
    async isErased(isFinished = true) {
      add('TextsErased', '{}')
      if (isFinished) await texts.erase(ACCOUNT)
    },
    /** @param pageEvents how many are looked at in one page */
    async checked(pageEvents = 100) {
      const check = new TextsCheck(texts)
      for (let at = 0; at < events.length; at += pageEvents) {
        await check.take(events.slice(at, at + pageEvents) as unknown as RecordedEvent[])
      }
      return check.result()
    },
  }
}

const sound = { altered: [], missing: [], unfinished: [] }

test('an erased text is behind no later event, and a new one is sound', async () => {
  const { says, isErased, checked } = await account()
  await says('Ada')
  await says('Ada L.')
  await isErased()
  await says('Grace')
  for (const page of [1, 2, 100]) {
    expect(await checked(page)).toEqual({ ...sound, kept: 1, erased: 2 })
  }
})

test('a text that was written after the erasure and is gone is missing', async () => {
  const { texts, says, isErased, checked } = await account()
  await says('Ada')
  await isErased()
  await says('Grace')
  await texts.erase(ACCOUNT)
  for (const page of [1, 2, 100]) {
    const missing = [{ stream, revision: 2 }]
    expect(await checked(page)).toEqual({ ...sound, kept: 0, erased: 1, missing })
  }
})

test('an erasure whose texts are still there is told, until it was finished', async () => {
  const { says, isErased, checked } = await account()
  await says('Ada')
  await isErased(false)
  const unfinished = [{ stream, revision: 1 }]
  for (const page of [1, 2, 100]) {
    expect(await checked(page)).toEqual({ ...sound, kept: 1, erased: 0, unfinished })
  }
  await isErased()
  expect(await checked()).toEqual({ ...sound, kept: 0, erased: 1 })
})
