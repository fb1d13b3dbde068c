import type { Projection } from '../../projection/projection.ts'
import { EvidenceProjector } from './project.ts'
import { evidenceSchema } from './schema.ts'

export const evidenceProjection: Projection = {
  name: 'evidence',
  version: 1,
  schema: evidenceSchema,
  tables: [
    { name: 'tiles', key: ['level', 'tile'] },
    { name: 'leaf_positions', key: ['tile'] },
  ],
  projector: (database) => new EvidenceProjector(database),
}
