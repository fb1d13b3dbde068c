import type { Projection } from '../../projection/projection.ts'
import { EvidenceProjector } from './project.ts'
import { evidenceSchema } from './schema.ts'

export const evidenceProjection: Projection = {
  name: 'evidence',
  version: 2,
  schema: evidenceSchema,
  tables: [
    { name: 'tiles', key: ['id'] },
    { name: 'leaf_positions', key: ['tile'] },
  ],
  projector: (database) => new EvidenceProjector(database),
}
