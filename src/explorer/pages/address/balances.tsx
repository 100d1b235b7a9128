import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Answer } from "../../../client/index.ts";
import { addressLink, blockLink, transactionLink } from "../../links.ts";
import type { Live, PageContext, QueryOptions } from "../../page.ts";
import { type Bar, Bars } from "../../parts/charts/bars.tsx";
import { Plot } from "../../parts/charts/plot.tsx";
import { Address, Amount } from "../../parts/inline.tsx";
import type { ListPage } from "../../parts/lists/long-table.tsx";
import { Height } from "../../parts/value.tsx";
import { navigate } from "../../shell/page-location.ts";
import { commonTexts } from "../../text/common-texts.ts";
import { fill, timeText } from "../../text/text.ts";
import { useList } from "../lists/node-list.tsx";
import type { Change } from "./changes.ts";
import { addressTexts as texts } from "./texts.ts";

type Balances = Answer<"GET /addresses/balance/details/:address">;
type Lease = Answer<"GET /leasing/active/:address">[number];

const { balanceKinds: kinds } = commonTexts;

const TOKEN = 100_000_000n;

const leasedInOf = ({ effective, regular, leasing }: Balances): bigint => effective - regular + leasing;

export function BalanceTable({ balances }: { readonly balances: Balances }) {
  const { regular, available, leasing, unbonding, effective, generating } = balances;
  const rows = [
    ["regular", regular],
    ["available", available],
    ["leasedOut", leasing],
    ["unbonding", unbonding],
    ["leasedIn", leasedInOf(balances)],
    ["effective", effective],
    ["generating", generating],
  ] as const;
  return (
    <table class={rows.some(([, value]) => value % TOKEN !== 0n) ? "balances aligned" : "balances"}>
      <caption class="visually-hidden">{texts.balances.caption}</caption>
      <tbody>
        {rows.map(([kind, value]) => (
          <tr key={kind}>
            <th scope="row">
              <span class="kind">
                {kinds[kind]} <span class="quiet">{texts.balances[kind]}</span>
              </span>
            </th>
            <td class="number">
              <Amount value={value} hasCopyButton />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface BalancePoint {
  readonly time: number;
  readonly regular: bigint;
  readonly effective: bigint;
  readonly height: number;
  /** Set only if the change has a single cause. */
  readonly transaction: string | undefined;
}

/** One point per block, oldest first. @param changes newest first */
export function balancePoints(changes: readonly Change[]): readonly BalancePoint[] {
  const points: BalancePoint[] = [];
  for (const { height, timestamp, regular, effective, transactions, transactionCount, forged } of changes) {
    const later = points.at(-1);
    if (later?.height === height) {
      // Keep the newest balance of the block's micro blocks.
      if (transactionCount > 0 || forged) points[points.length - 1] = { ...later, transaction: undefined };
      continue;
    }
    const transaction = transactionCount === 1 && !forged ? transactions[0] : undefined;
    points.push({ time: Number(timestamp), regular, effective, height, transaction });
  }
  return points.reverse();
}

/** The gap after an outlier exceeds the time span of all later points by this factor. */
const OUTLIER_GAP_FACTOR = 4;

/** Omits the first point if it is much older than all others. */
export function separateOutlier(points: readonly BalancePoint[]): {
  readonly drawn: readonly BalancePoint[];
  readonly outlier: BalancePoint | undefined;
} {
  const [first, second] = points;
  const last = points.at(-1);
  if (second === undefined || last === undefined || second === last)
    return { drawn: points, outlier: undefined };
  const isOutlier = second.time - first.time > OUTLIER_GAP_FACTOR * (last.time - second.time);
  return isOutlier ? { drawn: points.slice(1), outlier: first } : { drawn: points, outlier: undefined };
}

export function BalancePlot(props: { readonly changes: ListPage<Change>; readonly live: Live }) {
  const { changes, live } = props;
  const tipTime = Number(live.tip.value?.timestamp ?? 0n);
  const { times, series, drawn, outlier, count } = useMemo(() => {
    const points = balancePoints(changes.rows);
    const { drawn, outlier } = separateOutlier(points);
    const last = drawn.at(-1);
    // The balance stays the same until the newest block.
    const shown = last !== undefined && tipTime > last.time ? [...drawn, { ...last, time: tipTime }] : drawn;
    const lineOf = (kind: "regular" | "effective") => ({
      name: kind,
      label: kinds[kind],
      values: shown.map((point) => point[kind]),
      shape: "steps" as const,
    });
    const isSame = points.every(({ regular, effective }) => regular === effective);
    return {
      times: shown.map(({ time }) => time),
      series: isSame ? [lineOf("regular")] : [lineOf("regular"), lineOf("effective")],
      drawn,
      outlier,
      count: points.length,
    };
  }, [tipTime, changes.rows.map(({ block }) => block).join()]);
  if (count === 0) return <p class="quiet">{texts.history.empty}</p>;
  const openCause = (index: number): void => {
    const point = drawn[Math.min(index, drawn.length - 1)];
    navigate(point.transaction === undefined ? blockLink(point.height) : transactionLink(point.transaction));
  };
  return (
    <>
      <Plot
        title={texts.history.plot}
        name="balance"
        times={times}
        series={series}
        unit="tokens"
        chainHeight={live.tip.value?.height ?? 0}
        formatTime={(ms) => timeText(BigInt(ms))}
        onSelect={openCause}
      />
      <p class="quiet">
        {changes.next === undefined ? texts.history.blocks(count) : texts.history.newestBlocks(count)}{" "}
        {texts.history.hint}{" "}
        {outlier !== undefined &&
          fill(texts.history.outlier, {
            amount: <Amount value={outlier.regular} />,
            height: <Height height={outlier.height} />,
          })}
      </p>
    </>
  );
}

const MAX_LEASES = 500;
const MAX_BARS = 12;

export function useLeases(context: PageContext, options: QueryOptions, address: string) {
  const request = { params: { address }, query: { limit: MAX_LEASES } };
  return useList(context, options, "GET /leasing/active/:address", request).first;
}

export function leaseBars(leases: readonly Lease[], otherSide: "sender" | "recipient"): readonly Bar[] {
  const sums = new Map<string, { amount: bigint; count: number }>();
  for (const lease of leases) {
    const address = lease[otherSide];
    const { amount } = lease;
    if (typeof address !== "string" || typeof amount !== "bigint") continue;
    const sum = sums.get(address) ?? { amount: 0n, count: 0 };
    sums.set(address, { amount: sum.amount + amount, count: sum.count + 1 });
  }
  const sorted = [...sums].sort(([, a], [, b]) => Number(b.amount - a.amount));
  const makeBar = (key: string, label: ComponentChildren, amount: bigint): Bar => ({
    key,
    label,
    length: Number(amount),
    value: <Amount value={amount} />,
  });
  const omitted = sorted.slice(MAX_BARS);
  const shown = sorted.slice(0, MAX_BARS).map(([address, { amount, count }]) => {
    const label = (
      <>
        <Address value={address} noCopy />
        {count > 1 && <span class="quiet"> {texts.leases.leaseCount(count)}</span>}
      </>
    );
    return makeBar(address, label, amount);
  });
  const omittedAmount = omitted.reduce((sum, [, { amount }]) => sum + amount, 0n);
  if (omitted.length === 0) return shown;
  return [...shown, makeBar("others", texts.leases.moreAccounts(omitted.length), omittedAmount)];
}

export function Leases(props: {
  readonly address: string;
  readonly leases: ListPage<Lease>;
  /** If undefined, the sums are hidden. */
  readonly balances: Balances | undefined;
}) {
  const { address, leases, balances } = props;
  const sides = [
    {
      title: kinds.leasedIn,
      thisSide: "recipient",
      otherSide: "sender",
      sum: balances && leasedInOf(balances),
      none: texts.leases.noneIn,
    },
    {
      title: kinds.leasedOut,
      thisSide: "sender",
      otherSide: "recipient",
      sum: balances?.leasing,
      none: texts.leases.noneOut,
    },
  ] as const;
  return (
    <>
      <div class="side-by-side">
        {sides.map(({ title, thisSide, otherSide, sum, none }) => {
          const bars = leaseBars(
            leases.rows.filter((lease) => lease[thisSide] === address),
            otherSide,
          );
          return (
            <section key={title}>
              <h3>
                {title}
                {sum !== undefined && (
                  <>
                    : <Amount value={sum} />
                  </>
                )}
              </h3>
              {bars.length === 0 ? <p class="quiet">{none}</p> : <Bars title={title} bars={bars} />}
            </section>
          );
        })}
      </div>
      {leases.next !== undefined && (
        <p class="quiet">
          {texts.leases.partial(leases.rows.length)}{" "}
          <a href={addressLink(address, "transactions")}>{texts.leases.transactions}</a>
        </p>
      )}
    </>
  );
}
