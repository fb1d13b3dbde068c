import { expect, test } from 'vitest'
import { t } from './translate.ts'

const role = 'owner'

test('a mark that turns the direction does not turn the sentence around it', () => {
  for (const mark of ['\u202e', '\u2067', '\u2069\u202e', '\u200f']) {
    const sentence = t('linkAccount', { name: `Evil${mark}gnp.exe`, role })
    expect(sentence).toBe('You are invited to the account “Evilgnp.exe” as owner.')
  }
})

test('a name in letters from the right stands for itself', () => {
  const sentence = t('linkAccount', { name: 'חשבון 5', role })
  expect(sentence).toBe('You are invited to the account “\u2068חשבון 5\u2069” as owner.')
})

test('what has no such letters is as it was, and a blank may look like a pattern', () => {
  expect(t('linkAccount', { name: '$& {role}', role })).toContain('“$& {role}”')
})
