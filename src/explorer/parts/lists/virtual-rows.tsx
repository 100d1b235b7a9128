import { useSignal } from "@preact/signals";
import {
  measureElement,
  observeWindowOffset,
  observeWindowRect,
  Virtualizer,
  windowScroll,
} from "@tanstack/virtual-core";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type RowsProps, RowsTable } from "./rows.tsx";

/** In pixels. Rows are measured once they are rendered. */
const ESTIMATED_ROW_HEIGHT = 34;
const OVERSCAN_ROWS = 20;

export function VirtualRows<Row>(props: RowsProps<Row>) {
  const { rows, keyOf } = props;
  const keys = useMemo(() => rows.map(keyOf), [rows]);
  const table = useRef<HTMLTableElement>(null);
  const version = useSignal(0);
  const instance = useRef<Virtualizer<Window, HTMLTableRowElement>>(undefined);
  const margin = useRef(0);
  const options = {
    count: keys.length,
    getItemKey: (index: number) => keys[index],
    estimateSize: () => ESTIMATED_ROW_HEIGHT,
    overscan: OVERSCAN_ROWS,
    scrollMargin: margin.current,
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    measureElement,
    initialRect: { width: 0, height: 1_000 },
    onChange: () => {
      version.value++;
    },
  };
  instance.current ??= new Virtualizer<Window, HTMLTableRowElement>(options);
  const virtualizer = instance.current;
  virtualizer.setOptions(options);
  // Reading the signal makes this component render again after a change.
  version.value;
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => {
    virtualizer._willUpdate();
    const top = table.current?.getBoundingClientRect().top;
    const distance = top === undefined ? 0 : Math.round(top + window.scrollY);
    // Content above the list has changed its height.
    if (Math.abs(distance - margin.current) > ESTIMATED_ROW_HEIGHT) {
      margin.current = distance;
      version.value++;
    }
  });
  const items = virtualizer.getVirtualItems();
  const [first] = items;
  const last = items.at(-1);
  return (
    <RowsTable
      {...props}
      table={table}
      indexes={items.map(({ index }) => index)}
      heightBefore={first === undefined ? 0 : first.start - margin.current}
      heightAfter={last === undefined ? 0 : virtualizer.getTotalSize() - (last.end - margin.current)}
      measure={virtualizer.measureElement}
    />
  );
}
