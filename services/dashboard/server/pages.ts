/**
 * Serves the pages of the dashboard under `/dashboard/`, from the origin of the API. They hold no
 * data: all of that comes over the API, under a session.
 */
import { ServiceError } from '@svc/contracts/errors'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { builtPages } from './build.ts'
import { type PageFile, pageFilesOf } from './page-files.ts'

/** Nothing of another origin, no inline script, no frame: what is shown cannot call home. */
const POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const pageHeaders = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
} as const

export interface DashboardPages {
  readonly routes: FastifyPluginAsync
  /** Ends a build that runs. */
  close(): Promise<void>
}

export interface PagesOptions {
  readonly logger: Logger
  /** Where builds are kept; see {@link builtPages}. */
  readonly cache?: string
}

/** Builds what is missing at once, beside everything else: the first visit waits for it. */
export function openPages({ logger, ...options }: PagesOptions): DashboardPages {
  const ending = new AbortController()
  const files = builtPages({ ...options, signal: ending.signal })
    .then(pageFilesOf)
    .catch((cause: unknown) => {
      if (!ending.signal.aborted) logger.error({ err: cause }, 'failed to build the dashboard')
      return undefined
    })
  return {
    routes: async (app: FastifyInstance) => {
      for (const path of ['/', '/*']) {
        app.get(path, async (request, reply) => serve(await files, request, reply))
      }
    },
    close: async () => {
      ending.abort()
      await files
    },
  }
}

function serve(
  files: ReadonlyMap<string, PageFile> | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (files === undefined) {
    throw new ServiceError(
      'internal_error',
      'The dashboard could not be built; the log of the server says why. The API works.',
    )
  }
  const { '*': path = '' } = request.params as { '*'?: string }
  const file = files.get(path) ?? pageFor(path, files)
  if (file === undefined) throw new ServiceError('not_found', `There is no page /${path} here.`)
  reply.headers({
    ...pageHeaders,
    'cache-control': file.cacheControl,
    'content-type': file.contentType,
    etag: file.etag,
    vary: 'accept-encoding',
  })
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send()
  if (!takesGzip(request)) return reply.send(file.body)
  return reply.header('content-encoding', 'gzip').send(file.gzipped)
}

/** Every path but those of files and of the API is a page, and the application knows which. */
function pageFor(path: string, files: ReadonlyMap<string, PageFile>): PageFile | undefined {
  return /^(?:api|assets)\/|\.\w+$/.test(path) ? undefined : files.get('index.html')
}

function takesGzip({ headers }: FastifyRequest): boolean {
  return /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''))
}
