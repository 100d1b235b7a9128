import { bytesEqual } from "../../bytes/compare.ts";
import { pageOf } from "../../indexes/pages.ts";
import { Queries } from "../../indexes/query-source.ts";
import { listedInUnit } from "../../indexes/transactions/query.ts";
import type {
  AccountChange,
  AccountChangesQuery,
  AccountEntries,
  AccountEntriesQuery,
  AccountInfo,
  AccountQueries,
  AccountTotals,
  BalanceAt,
  HeightRange,
  ListPage,
} from "../../interfaces.ts";
import {
  balanceChanges,
  balanceWithConfirmations,
  effectiveBalanceWithConfirmations,
  persistedGeneratingBalance,
} from "../../ledger/balances.ts";
import type { DataState } from "../../ledger/state.ts";
import { recordedAt } from "../../storage/ledger/recorded-transactions.ts";
import { tables } from "../../storage/tables.ts";
import type { DataEntry } from "../../transactions/data-entry.ts";
import { headerRow } from "../reading/rows.ts";
import { accountEntries, accountTotals } from "./account-entries.ts";
import type { SnapshotSource } from "./source.ts";

export class StoredAccountQueries extends Queries<SnapshotSource> implements AccountQueries {
  info(address: Uint8Array): AccountInfo {
    const { balance, leaseIn, leaseOut, unbonding } = this.source.ledger.account(address);
    return { balance, leaseIn, leaseOut, unbonding };
  }

  balance(address: Uint8Array, confirmations: number): bigint {
    const { ledger } = this.source;
    return balanceWithConfirmations(ledger, address, ledger.height, confirmations);
  }

  effectiveBalance(address: Uint8Array, confirmations: number): bigint {
    const { ledger } = this.source;
    return effectiveBalanceWithConfirmations(ledger, address, ledger.height, confirmations);
  }

  generatingBalance(address: Uint8Array): bigint {
    const { reader, ledger, balances } = this.source;
    if (balances !== undefined) return balances.persistedBalanceOf(reader, ledger, address);
    return persistedGeneratingBalance(ledger, address, ledger.height, ledger.persistedHeight);
  }

  balanceHistory(address: Uint8Array, page?: ListPage<number>): readonly BalanceAt[] {
    const { ledger } = this.source;
    const { persistedHeight } = ledger;
    const newest = page?.after === undefined ? persistedHeight : Math.min(page.after - 1, persistedHeight);
    return pageOf(balanceChanges(ledger.accountPoints(address, 0, newest)), page);
  }

  changes(address: Uint8Array, { before, limit, maxIds }: AccountChangesQuery): readonly AccountChange[] {
    const { reader, ledger } = this.source;
    const changes: AccountChange[] = [];
    if (limit <= 0) return changes;
    for (const { unit, account } of ledger.accountChanges(address, before)) {
      const block = ledger.blockFacts(unit.height);
      const listed = [...listedInUnit(reader, address, unit)];
      const transactions = listed
        .slice(0, maxIds)
        .map((place) => recordedAt(reader, place)?.id.slice())
        .filter((id) => id !== undefined);
      const { balance, leaseIn, leaseOut, unbonding } = account;
      changes.push({
        ...unit,
        id: headerRow(reader, unit.height).signature,
        timestamp: block?.timestamp ?? 0n,
        hasForged: block !== undefined && bytesEqual(block.generator, address),
        transactions,
        transactionCount: listed.length,
        balance,
        leaseIn,
        leaseOut,
        unbonding,
      });
      if (changes.length >= limit) break;
    }
    return changes;
  }

  entries(address: Uint8Array, query: AccountEntriesQuery): AccountEntries {
    return accountEntries(this.source, address, query);
  }

  totals(address: Uint8Array, range: HeightRange): AccountTotals {
    return accountTotals(this.source, address, range);
  }

  *distribution(height: number): Generator<{ readonly address: Uint8Array; readonly balance: bigint }> {
    const { reader, ledger } = this.source;
    if (height < 1) return;
    const at = Math.min(height, ledger.height);
    const liquid = at > ledger.persistedHeight;
    for (const [address, account] of reader.range(tables.accounts)) {
      for (const point of ledger.accountPoints(address, at, at)) {
        const { balance } = point.account;
        // The reference also lists accounts without a balance if the liquid block changed them.
        if (balance > 0n || (liquid && account.changedAt === at)) yield { address, balance };
        break;
      }
    }
  }

  script(address: Uint8Array): Uint8Array | undefined {
    return this.source.ledger.script(address)?.script;
  }

  dataEntries(address: Uint8Array, page?: ListPage<string>): readonly DataEntry[] {
    return pageOf(this.source.ledger.dataEntries(address, page?.after), page).map(dataEntry);
  }

  dataEntry(address: Uint8Array, key: string): DataEntry | undefined {
    const entry = this.source.ledger.data(address, key);
    return entry && dataEntry(entry);
  }

  certificate(address: Uint8Array): Uint8Array | undefined {
    return this.source.ledger.certificate(address);
  }
}

function dataEntry(entry: DataState): DataEntry {
  return entry as DataEntry;
}
