/** A uPlot plot in a component: made anew when its data or the colours change, fitted to the width there is. */
import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { colourKey, tokenColour } from '../../parts/token-colours.ts';

/** Colours for plots, by the theme. */
export interface PlotColours {
  readonly ink: string;
  readonly line: string;
  readonly accent: string;
  readonly band: string;
  readonly over: string;
}

/** What a {@link Plot} shows. */
export interface PlotProps {
  /** What is to be seen, in words, for those who do not see it. */
  readonly label: string;
  readonly data: UPlot.AlignedData;
  readonly options: (colours: PlotColours) => Omit<UPlot.Options, 'width' | 'height'>;
  /** Says that the options are others. */
  readonly optionsKey: string;
  readonly height: number;
}

/** See the top of the file. */
export function Plot({ label, data, options, optionsKey, height }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const colours = colourKey();
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const width = () => Math.max(200, element.clientWidth);
    const plot = new UPlot(
      {
        ...options({
          ink: tokenColour('--quiet'),
          line: tokenColour('--line'),
          accent: tokenColour('--accent'),
          band: tokenColour('--accent-ground'),
          over: tokenColour('--over-2'),
        }),
        width: width(),
        height,
      },
      data,
      element,
    );
    const observer = new ResizeObserver(() => {
      if (plot.width !== width()) plot.setSize({ width: width(), height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [data, optionsKey, colours, height]);
  return <div class="plot" ref={place} role="img" aria-label={label} />;
}

/** An axis in the theme's colours. */
export function plotAxis(
  colours: PlotColours,
  label: string,
  values?: (value: number) => string,
): UPlot.Axis {
  return {
    label,
    labelSize: 24,
    size: 52,
    stroke: colours.ink,
    grid: { stroke: colours.line, width: 1 },
    ticks: { stroke: colours.line, width: 1 },
    ...(values === undefined ? {} : { values: (_: UPlot, splits: number[]) => splits.map(values) }),
  };
}
