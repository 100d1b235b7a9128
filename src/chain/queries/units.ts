import { Queries } from "../../indexes/query-source.ts";
import type {
  ChainCursor,
  FollowedPosition,
  UnitAccount,
  UnitLimits,
  UnitQueries,
  UnitRecords,
  UnitResults,
} from "../../interfaces.ts";
import { commonRecord, revertCount } from "../reading/common-record.ts";
import { changedAccounts, newestRecord, recordsAfter, resultsOf } from "../reading/unit-records.ts";
import type { SnapshotSource } from "./source.ts";

export class StoredUnitQueries extends Queries<SnapshotSource> implements UnitQueries {
  after(position: ChainCursor, limits: UnitLimits): UnitRecords {
    return recordsAfter(this.source.reader, this.source.context.profile, position, limits);
  }

  common(position: FollowedPosition): ChainCursor | undefined {
    return commonRecord(this.source.reader, position);
  }

  reverts(): number {
    return revertCount(this.source.reader);
  }

  newest(): ChainCursor {
    return newestRecord(this.source.reader);
  }

  accounts(unit: ChainCursor): readonly UnitAccount[] {
    return changedAccounts(this.source.reader, unit);
  }

  results(unit: ChainCursor): UnitResults {
    return resultsOf(this.source.reader, unit);
  }
}
