/** Routes that prove to a caller, or to anybody, what the log holds. */
import {
  consistencyAnswer,
  consistencyQuery,
  EVIDENCE_MEDIA,
  evidenceQuery,
  evidenceText,
  inclusionAnswer,
  inclusionQuery,
} from '@svc/contracts/wire/evidence'
import type { Operation } from './operation.ts'

export const evidenceOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/evidence',
    summary: 'The evidence of the account',
    description:
      'All events of the account as they are stored, and the proof that the log holds them, for ' +
      '`svc verify-evidence` and programs of others. JSON Lines.',
    tag: 'Evidence',
    family: 'openai',
    query: evidenceQuery,
    answer: evidenceText,
    media: EVIDENCE_MEDIA,
  },
  {
    method: 'get',
    path: '/v1/requests/{id}/evidence',
    summary: 'The evidence of a request',
    description: 'Its events, with the proof that the log holds them. JSON Lines.',
    tag: 'Evidence',
    family: 'openai',
    query: evidenceQuery,
    answer: evidenceText,
    media: EVIDENCE_MEDIA,
  },
  {
    method: 'get',
    path: '/evidence/checkpoint',
    summary: 'The last checkpoint of the log',
    description: 'A signed note (C2SP tlog-checkpoint): how many events there are, and their root.',
    tag: 'Evidence',
    family: 'openai',
    answer: evidenceText,
    media: 'text/plain',
  },
  {
    method: 'get',
    path: '/evidence/key',
    summary: 'The public key of the log',
    tag: 'Evidence',
    family: 'openai',
    answer: evidenceText,
    media: 'text/plain',
  },
  {
    method: 'get',
    path: '/evidence/inclusion',
    summary: 'Shows that a leaf is in the tree (RFC 6962)',
    tag: 'Evidence',
    family: 'openai',
    query: inclusionQuery,
    answer: inclusionAnswer,
  },
  {
    method: 'get',
    path: '/evidence/consistency',
    summary: 'Shows that one tree is the beginning of another (RFC 6962)',
    tag: 'Evidence',
    family: 'openai',
    query: consistencyQuery,
    answer: consistencyAnswer,
  },
]
