/** Texts beside the log against what the events say of them, in their order. */
import { accountStream } from '@svc/contracts/events/account'
import { ownerOfAccountTexts } from '@svc/contracts/kept-text'
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
  let erasures = 0
  const add = (type: string, data: string) => {
    events.push({ stream, revision: events.length, type, data })
  }
  return {
    texts,
    async says(text: string) {
      const owner = ownerOfAccountTexts(ACCOUNT, erasures)
      add('AccountRenamed', JSON.stringify({ name: await texts.keep(owner, text) }))
    },
    /** @param isFinished whether the texts went too, and the process was not killed in between */
    async isErased(isFinished = true) {
      add('TextsErased', '{}')
      if (isFinished) await texts.erase(ownerOfAccountTexts(ACCOUNT, erasures))
      erasures += 1
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
  await texts.erase(ownerOfAccountTexts(ACCOUNT, 1))
  for (const page of [1, 2, 100]) {
    const missing = [{ stream, revision: 2 }]
    expect(await checked(page)).toEqual({ ...sound, kept: 0, erased: 1, missing })
  }
})

test('an erasure whose texts are still there is told, until it was finished', async () => {
  const { texts, says, isErased, checked } = await account()
  await says('Ada')
  await isErased(false)
  const unfinished = [{ stream, revision: 1 }]
  for (const page of [1, 2, 100]) {
    expect(await checked(page)).toEqual({ ...sound, kept: 1, erased: 0, unfinished })
  }
  await texts.erase(ACCOUNT)
  expect(await checked()).toEqual({ ...sound, kept: 0, erased: 1 })
})

test('texts about something else than an account are told by the event that erased them', async () => {
  const texts = new MemoryTextStore()
  const name = await texts.keep('tok_a', 'finance')
  const created = { stream: 'admin-tokens', revision: 0, type: 'AdminTokenCreated' }
  const gone = { stream: 'audit', revision: 0, type: 'SubjectTextsErased' }
  const events = [
    { ...created, data: JSON.stringify({ name }) },
    { ...gone, data: JSON.stringify({ subject: 'tok_a' }) },
  ]
  const checked = async () => {
    const check = new TextsCheck(texts)
    await check.take(events as unknown as RecordedEvent[])
    return check.result()
  }
  const { stream, revision } = gone
  expect(await checked()).toMatchObject({ kept: 1, unfinished: [{ stream, revision }] })
  await texts.erase('tok_a')
  expect(await checked()).toEqual({ ...sound, kept: 0, erased: 1 })
})
