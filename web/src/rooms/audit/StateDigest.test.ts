import { expect, test } from 'vitest';
import { unexplained } from './StateDigest';

test('the rows of a digest are counted, and each of their tables is named once', () => {
  const rows = [
    { table: 'users', row: 'u-1', change: 'added' },
    { table: 'users', row: 'u-2', change: 'changed' },
    { table: 'alert_rules', row: 'r', change: 'removed' },
  ];
  expect(unexplained({ metadata: { unexplained: rows, unexplained_total: 120 } } as never)).toEqual(
    { total: 120, tables: ['alert_rules', 'users'] },
  );
  expect(unexplained({ metadata: {} } as never)).toEqual({ total: 0, tables: [] });
});
