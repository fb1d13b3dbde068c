/** More requests than anybody needs, with credit, without, and with keys that nobody was given. */
import { randomBytes } from 'node:crypto'
import { accountOfSecret, makeSecret } from '@svc/contracts/api-key'
import { SECRET_RANDOM_BYTES } from '@svc/contracts/checked-secret'
import { ID_RANDOM_BYTES, makeId } from '@svc/contracts/ids'
import type { Attack } from '../attack.ts'
import { asks, chat, count, flood, keyOf } from '../requests.ts'

const MANY = 256
const SOME = 32
const question = asks('Count from one to one hundred.')
const longAnswer = { messages: question, max_tokens: 512, stream: true }

export const floodAttacks: readonly Attack[] = [
  {
    name: 'no-credit-requests',
    about: '256 connections that ask without credit',
    credit: '0',
    keys: 4,
    run: (target) =>
      flood(target, MANY, (number) =>
        chat(keyOf(target, number), { messages: question, max_tokens: 64 }),
      ),
  },
  {
    name: 'no-credit-counts',
    about: '32 connections without credit on the free route for counting',
    credit: '0',
    keys: 2,
    run: (target) =>
      flood(target, SOME, (number) =>
        count(keyOf(target, number), { messages: asks(`${number} ${'word '.repeat(2_000)}`) }),
      ),
  },
  {
    name: 'paid-counts',
    about: 'the same with a credit of $1',
    credit: '1',
    keys: 2,
    run: (target) =>
      flood(target, SOME, (number) =>
        count(keyOf(target, number), { messages: asks(`${number} ${'word '.repeat(2_000)}`) }),
      ),
  },
  {
    name: 'all-places',
    about: '4 keys with $0.0005 in all take 1,024 connections',
    credit: '0.0005',
    keys: 4,
    run: (target) => flood(target, 1_024, (number) => chat(keyOf(target, number), longAnswer)),
  },
  {
    name: 'full-queue',
    about: '2 keys with $1 keep 512 requests waiting',
    credit: '1',
    keys: 2,
    run: (target) => flood(target, 512, (number) => chat(keyOf(target, number), longAnswer)),
  },
  {
    name: 'many-keys',
    about: '32 keys of one account at once',
    credit: '1',
    keys: 32,
    run: (target) => flood(target, MANY, (number) => chat(keyOf(target, number), longAnswer)),
  },
  {
    name: 'long-answers',
    about: '8 streams of 2,000 tokens of one account',
    credit: '5',
    keys: 1,
    run: (target) =>
      flood(target, 8, (number) =>
        chat(keyOf(target, number), {
          messages: asks('Count.'),
          max_tokens: 2_000,
          stream: true,
          logit_bias: {},
          temperature: 2,
        }),
      ),
  },
  {
    name: 'forged-keys',
    about: 'keys with a right check that nobody was given',
    credit: '0',
    keys: 1,
    run: (target) =>
      flood(target, SOME, (number) =>
        chat(forged(target.keys[0] ?? '', number), { messages: question }),
      ),
  },
  {
    name: 'reads',
    about: '512 connections of one key that read a balance, over and over',
    credit: '0',
    keys: 1,
    run: (target) =>
      flood(target, 512, (number) => {
        const key = keyOf(target, number)
        return { path: '/v1/balance', method: 'GET', key, body: '' }
      }),
  },
  {
    name: 'idempotency-flood',
    about: 'a new Idempotency-Key with each request',
    credit: '1',
    keys: 2,
    run: (target) =>
      flood(target, SOME, (number) => ({
        ...chat(keyOf(target, number), { messages: question, max_tokens: 1 }),
        headers: { 'idempotency-key': `siege-${process.pid}-${number}` },
      })),
  },
  {
    name: 'stored-responses',
    about: 'responses that are stored, each with 3 KB of input',
    credit: '1',
    keys: 2,
    run: (target) =>
      flood(target, SOME, (number) => ({
        path: '/v1/responses',
        key: keyOf(target, number),
        body: JSON.stringify({
          model: 'svc-beta',
          store: true,
          max_output_tokens: 1,
          instructions: 'x',
          metadata: { number: String(number) },
          input: 'a '.repeat(1_500),
        }),
      })),
  },
]

/** Of an account that does not exist; every second one of the attacker's own. */
function forged(ownKey: string, number: number): string {
  const own = accountOfSecret(ownKey)
  const nobodys = makeId('acct', Date.now(), randomBytes(ID_RANDOM_BYTES))
  const accountId = number % 2 === 0 || own === undefined ? nobodys : own
  return makeSecret(accountId, randomBytes(SECRET_RANDOM_BYTES))
}
