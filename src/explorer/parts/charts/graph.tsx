import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { partTexts as texts } from "../texts.ts";
import { BOX, type GraphEdge, type GraphNode, placeGraph } from "./graph-layout.ts";

interface GraphBox extends GraphNode {
  readonly label: ComponentChildren;
  readonly isSelf?: boolean | undefined;
}

/** Callers must also show a list: the graph can omit nodes. */
export function Graph(props: {
  readonly title: string;
  readonly nodes: readonly GraphBox[];
  readonly edges: readonly GraphEdge[];
}) {
  const { title, nodes, edges } = props;
  const arrowHeadId = useId();
  const graph = placeGraph(nodes, edges);
  return (
    <figure class="graph">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <section class="scrolled" tabIndex={0} aria-label={title}>
        <svg width={graph.width} height={graph.height} viewBox={`0 0 ${graph.width} ${graph.height}`}>
          <title>{title}</title>
          <defs>
            <marker
              id={arrowHeadId}
              viewBox="0 0 8 8"
              refX="8"
              refY="4"
              markerWidth="8"
              markerHeight="8"
              orient="auto"
            >
              <path d="M0 0L8 4L0 8z" class="head" />
            </marker>
          </defs>
          <g>
            {graph.edges.map(({ edge, path, labelAt }) => (
              <g key={`${edge.from} ${edge.to}`} class="edge">
                <path d={path} marker-end={`url(#${arrowHeadId})`} />
                <text x={labelAt.x} y={labelAt.y - 4} text-anchor="middle">
                  {edge.label}
                </text>
              </g>
            ))}
          </g>
          {graph.nodes.map(({ node, x, y }) => (
            <foreignObject key={node.id} x={x} y={y} width={BOX.width} height={BOX.height}>
              <div class={node.isSelf ? "box self" : "box"}>{node.label}</div>
            </foreignObject>
          ))}
        </svg>
      </section>
      {graph.omittedCount > 0 && (
        <figcaption class="quiet">{texts.onlyInList(graph.omittedCount)}</figcaption>
      )}
    </figure>
  );
}
