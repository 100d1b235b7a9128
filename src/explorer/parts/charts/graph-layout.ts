/** Lays out a graph in columns from left to right, in pixels. */

export interface GraphNode {
  readonly id: string;
  readonly rank: number;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

export const BOX = { width: 220, height: 36 } as const;
const GAP = { across: 150, down: 14 } as const;
const MARGIN = 8;
const MAX_NODES_PER_COLUMN = 24;
const LABEL = { width: 130, height: 14 } as const;
/** Edges within a column bend to the right of the boxes. */
const BEND = { width: 40, labelX: 34, selfHeight: 6, labelRoom: 90 } as const;
const OPPOSITE_EDGE_SHIFT = 9;

interface PlacedNode<Node extends GraphNode> {
  readonly node: Node;
  readonly x: number;
  readonly y: number;
}

interface PlacedEdge {
  readonly edge: GraphEdge;
  readonly path: string;
  readonly labelAt: { readonly x: number; readonly y: number };
}

/** Merges parallel edges. The label is the first one and the number of others: `a ×2 +1`. */
export function mergeEdges(edges: readonly GraphEdge[]): readonly GraphEdge[] {
  const pairs = new Map<string, { readonly edge: GraphEdge; readonly counts: Map<string, number> }>();
  for (const edge of edges) {
    const key = `${edge.from} ${edge.to}`;
    const pair = pairs.get(key) ?? { edge, counts: new Map<string, number>() };
    pair.counts.set(edge.label, (pair.counts.get(edge.label) ?? 0) + 1);
    pairs.set(key, pair);
  }
  return [...pairs.values()].map(({ edge, counts }) => {
    const labels = [...counts].map(([label, count]) => (count === 1 ? label : `${label} ×${count}`));
    const label = labels.length === 1 ? labels[0] : `${labels[0]} +${labels.length - 1}`;
    return { ...edge, label };
  });
}

function placeEdge(
  from: PlacedNode<GraphNode>,
  to: PlacedNode<GraphNode>,
  shiftDown: number,
): Omit<PlacedEdge, "edge"> {
  const middle = BOX.height / 2 + shiftDown;
  if (from.x === to.x) {
    const x = from.x + BOX.width;
    const [y1, y2] = [from.y + middle, to.y + middle + (from === to ? BEND.selfHeight : 0)];
    const out = x + BEND.width;
    return {
      path: `M${x} ${y1}C${out} ${y1} ${out} ${y2} ${x} ${y2}`,
      labelAt: { x: x + BEND.labelX, y: (y1 + y2) / 2 },
    };
  }
  const isForward = from.x < to.x;
  const x1 = isForward ? from.x + BOX.width : from.x;
  const x2 = isForward ? to.x : to.x + BOX.width;
  const [y1, y2] = [from.y + middle, to.y + middle];
  const x = (x1 + x2) / 2;
  return { path: `M${x1} ${y1}C${x} ${y1} ${x} ${y2} ${x2} ${y2}`, labelAt: { x, y: (y1 + y2) / 2 } };
}

function separateLabels(edges: readonly PlacedEdge[]): readonly PlacedEdge[] {
  const separated: PlacedEdge[] = [];
  for (const edge of [...edges].sort((a, b) => a.labelAt.y - b.labelAt.y)) {
    const { x } = edge.labelAt;
    let { y } = edge.labelAt;
    // One pass is enough: earlier labels are sorted downwards.
    for (const { labelAt } of separated)
      if (Math.abs(labelAt.x - x) < LABEL.width && Math.abs(labelAt.y - y) < LABEL.height)
        y = labelAt.y + LABEL.height;
    separated.push({ ...edge, labelAt: { x, y } });
  }
  return separated;
}

export function placeGraph<Node extends GraphNode>(nodes: readonly Node[], edges: readonly GraphEdge[]) {
  const ranks = [...new Set(nodes.map(({ rank }) => rank))].sort((a, b) => a - b);
  const columns = ranks.map((rank) =>
    nodes.filter((node) => node.rank === rank).slice(0, MAX_NODES_PER_COLUMN),
  );
  const rows = Math.max(0, ...columns.map(({ length }) => length));
  const step = BOX.height + GAP.down;
  const height = Math.max(BOX.height, rows * step - GAP.down) + 2 * MARGIN;
  const placed = columns.flatMap((column, i) => {
    const top = (height - (column.length * step - GAP.down)) / 2;
    return column.map((node, row) => ({
      node,
      x: MARGIN + i * (BOX.width + GAP.across),
      y: top + row * step,
    }));
  });
  const byId = new Map(placed.map((box) => [box.node.id, box]));
  const merged = mergeEdges(edges);
  const pairs = new Set(merged.map(({ from, to }) => `${from} ${to}`));
  const placedEdges = merged.flatMap((edge) => {
    const [from, to] = [byId.get(edge.from), byId.get(edge.to)];
    if (from === undefined || to === undefined) return [];
    // Shift edges in opposite directions apart.
    const hasOpposite = edge.from !== edge.to && pairs.has(`${edge.to} ${edge.from}`);
    const shift = edge.from < edge.to ? -OPPOSITE_EDGE_SHIFT : OPPOSITE_EDGE_SHIFT;
    return [{ edge, ...placeEdge(from, to, hasOpposite ? shift : 0) }];
  });
  const width = Math.max(1, columns.length) * (BOX.width + GAP.across) - GAP.across + 2 * MARGIN;
  const needsRightMargin = placedEdges.some(({ labelAt }) => labelAt.x > width - MARGIN - 10);
  return {
    width: width + (needsRightMargin ? BEND.labelRoom : 0),
    height,
    nodes: placed,
    edges: separateLabels(placedEdges),
    omittedCount: nodes.length - placed.length,
  };
}
