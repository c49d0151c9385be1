/** A block of steps of an MSR rule: descents over all places at once, stride by stride. */
import type { MsrBlockTrace, MsrStride } from '../../../../src/analysis/explain.ts';
import { blockLines, blockTitle, strideText } from '../../../../src/analysis/explain/rule-words.ts';
import { placesText, plural, setText } from '../../../../src/analysis/explain/words.ts';
import { DrawList } from './draw-list.tsx';
import { Fold } from './fold.tsx';

/** See the top of the file. */
export function MsrStory({ block }: { readonly block: MsrBlockTrace }) {
  const hidden = block.made - block.descents.length;
  return (
    <li class="step">
      <p class="step-title">{blockTitle(block)}</p>
      {blockLines(block).map((line, i) => (
        <p key={i} class="step-text">
          {line}
        </p>
      ))}
      {block.descents.map(({ descent, strides, filled }) => (
        <Fold
          key={descent}
          title={`descent ${descent}: ${plural(filled, 'place', 'places')} filled`}
          isOpenAtFirst={filled > 0}
        >
          {() => (
            <ol class="attempts">
              {strides.map((stride) => (
                <StrideStory key={stride.from} stride={stride} />
              ))}
            </ol>
          )}
        </Fold>
      ))}
      {hidden > 0 && (
        <p class="step-text">{plural(hidden, 'descent', 'descents')} more that filled nothing</p>
      )}
      <p class="step-text">gives {setText(block.result)}</p>
    </li>
  );
}

function StrideStory({ stride }: { readonly stride: MsrStride }) {
  const isFilled = stride.filled > 0 || stride.outcome === 'chosen';
  return (
    <li class={isFilled ? 'attempt chosen' : 'attempt failed'}>
      <p class="verdict">
        <span aria-hidden="true">{isFilled ? '✓' : '✕'}</span> {placesText(stride.from, stride.to)}:{' '}
        {strideText(stride)}
      </p>
      {stride.tries.map(({ draws, item, collision }, i) => (
        <div key={i}>
          <DrawList draws={draws} />
          {collision !== undefined && (
            <p class="verdict">
              <span aria-hidden="true">✕</span> collision: {item.name} is in use at place {collision}; again
            </p>
          )}
        </div>
      ))}
      {stride.omitted > 0 && <p class="quiet">{stride.omitted} more collisions, not recorded</p>}
      {stride.below !== undefined && stride.below.length > 0 && (
        <ol class="attempts">
          {stride.below.map((below) => (
            <StrideStory key={`${below.from}-${below.stride}`} stride={below} />
          ))}
        </ol>
      )}
    </li>
  );
}
