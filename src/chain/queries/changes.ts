import { Queries } from "../../indexes/query-source.ts";
import type { AppliedUnit, ChainCursor, ChangeQueries, ChangesSince } from "../../interfaces.ts";
import { changesSince, unitOf } from "../reading/changes.ts";
import type { SnapshotSource } from "./source.ts";

export class StoredChangeQueries extends Queries<SnapshotSource> implements ChangeQueries {
  since(cursor: ChainCursor, limit: number, transactionLimit?: number): ChangesSince {
    return changesSince(this.source.reader, this.source.context.profile, cursor, limit, transactionLimit);
  }

  unit(cursor: ChainCursor): AppliedUnit | undefined {
    return unitOf(this.source.reader, this.source.context.profile, cursor);
  }
}
