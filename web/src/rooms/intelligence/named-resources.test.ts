import { expect, it } from 'vitest';
import { resourcesNamed } from './named-resources';

const ROWS = [
  { resource: { id: 'i-1', name: 'search-query' } },
  { resource: { id: 'i-2', name: 'checkout-api-a' } },
  { resource: { id: 'i-2', name: 'checkout-api-a' } },
  { resource: { id: 'i-21', name: 'checkout-api-b' } },
  { resource: { id: 'eve@acme.example', name: null } },
];

it.each([
  ['nothing', undefined, {}],
  ['a name', 'search-query', { resource: 'i-1' }],
  ['a part of a name, in any case', 'SEARCH', { resource: 'i-1' }],
  ['a part of several names', 'checkout', { ids: new Set(['i-2', 'i-21']) }],
  ['a whole identifier, although another one begins with it', 'i-2', { resource: 'i-2' }],
  ['a part of an identifier without a name', 'eve@', { resource: 'eve@acme.example' }],
  ['an unknown text, which the service may know', 'i-99', { resource: 'i-99' }],
])('finds resources by %s', (_, text, found) => {
  expect(resourcesNamed(text, ROWS)).toEqual(found);
});
