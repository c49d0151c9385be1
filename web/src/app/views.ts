/** The page's views, in the order of its navigation; each is loaded when it is first shown. */
import type { ComponentType } from 'preact';

/** A view's name, as in links. */
export type ViewId =
  | 'summary'
  | 'hierarchy'
  | 'pools'
  | 'distribution'
  | 'pgs'
  | 'explain'
  | 'what-if'
  | 'compare'
  | 'text'
  | 'mds';

/** A view. */
export interface View {
  readonly id: ViewId;
  readonly title: string;
  readonly load: () => Promise<ComponentType>;
  /** Whether it is of files of its own, so that it needs no map. */
  readonly hasOwnFiles?: boolean;
}

/** All views. */
export const VIEWS: readonly View[] = [
  {
    id: 'summary',
    title: 'Summary',
    load: async () => (await import('../views/summary/summary-view.tsx')).SummaryView,
  },
  {
    id: 'hierarchy',
    title: 'Hierarchy',
    load: async () => (await import('../views/hierarchy/hierarchy-view.tsx')).HierarchyView,
  },
  {
    id: 'pools',
    title: 'Pools and rules',
    load: async () => (await import('../views/pools/pools-view.tsx')).PoolsView,
  },
  {
    id: 'distribution',
    title: 'Distribution',
    load: async () => (await import('../views/distribution/distribution-view.tsx')).DistributionView,
  },
  {
    id: 'pgs',
    title: 'PGs and objects',
    load: async () => (await import('../views/pgs/pgs-view.tsx')).PgsView,
  },
  {
    id: 'explain',
    title: 'Explain',
    load: async () => (await import('../views/explain/explain-view.tsx')).ExplainView,
  },
  {
    id: 'what-if',
    title: 'What if',
    load: async () => (await import('../views/what-if/what-if-view.tsx')).WhatIfView,
  },
  {
    id: 'compare',
    title: 'Compare',
    load: async () => (await import('../views/compare/compare-view.tsx')).CompareView,
  },
  {
    id: 'text',
    title: 'CRUSH text',
    load: async () => (await import('../views/text/text-view.tsx')).TextView,
  },
  {
    id: 'mds',
    title: 'Metadata servers',
    load: async () => (await import('../views/mds/mds-view.tsx')).MdsView,
    hasOwnFiles: true,
  },
];

/** Whether a word of a link names a view. */
export function isViewId(word: string): word is ViewId {
  return VIEWS.some(({ id }) => id === word);
}

/** Whether a view is of files of its own, so that it needs no map. */
export function hasOwnFiles(id: ViewId): boolean {
  return VIEWS.some((view) => view.id === id && view.hasOwnFiles === true);
}
