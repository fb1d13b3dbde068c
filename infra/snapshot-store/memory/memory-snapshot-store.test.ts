import { describeSnapshotStore } from '../snapshot-store.suite.ts'
import { MemorySnapshotStore } from './memory-snapshot-store.ts'

describeSnapshotStore('memory', () => new MemorySnapshotStore())
