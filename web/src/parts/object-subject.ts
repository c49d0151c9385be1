/** An object in the page's place: what of a map is looked at. */
import { route } from '../app/route.ts';
import type { ObjectAsked } from '../worker/topics/pgs.ts';

/** What the page's place says of an object; of none, that it says nothing. */
export function objectSubject(object: ObjectAsked | undefined): Record<string, string> {
  return {
    object: object?.name ?? '',
    namespace: object?.namespace ?? '',
    key: object?.key ?? '',
    escapes: object?.hasEscapes === true ? '1' : '',
  };
}

/** The object that the page's place says, or undefined. */
export function askedObject(): ObjectAsked | undefined {
  const name = route.subject('object');
  if (name === undefined || name === '') return undefined;
  return {
    name,
    namespace: route.subject('namespace') ?? '',
    key: route.subject('key') ?? '',
    hasEscapes: route.subject('escapes') === '1',
  };
}
