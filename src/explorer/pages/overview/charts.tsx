import type { PageDefinition, PageProps } from "../../page.ts";
import { chosenPeriod, DayPlot, dayCount, PeriodChoice } from "../../parts/charts/day-plot.tsx";
import { AttemptedPanel } from "../../parts/panel.tsx";
import { dayCharts, useDays } from "./day-charts.ts";
import { chartTexts as texts } from "./texts.ts";

const PLOT_LINES = 13;

function View({ context, query }: PageProps) {
  const period = chosenPeriod(query);
  const days = useDays(context, dayCount(period));
  return (
    <article>
      <h1>{texts.title}</h1>
      <PeriodChoice path={["charts"]} chosen={period} />
      {Object.entries(dayCharts).map(([name, chart]) => (
        <AttemptedPanel
          key={name}
          title={chart.title}
          attempt={days}
          lines={PLOT_LINES}
          render={(rows) => (
            <>
              <DayPlot chart={chart} rows={rows} chainHeight={rows.at(-1)?.height ?? 0} />
              {chart === dayCharts.senders && <p class="quiet">{texts.sendersNote}</p>}
            </>
          )}
        />
      ))}
    </article>
  );
}

export const chartsPage: PageDefinition = { title: () => texts.title, View };
