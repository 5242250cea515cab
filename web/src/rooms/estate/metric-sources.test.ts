import { expect, test } from 'vitest';
import { editable, remoteWrite, ruleOf } from './metric-sources';

test('an edited rule leaves out what is empty', () => {
  const rule = ruleOf({ ...editable({ series: 'up', locate_by: 'tag', tag: 'host' }), kind: '' });
  expect(rule).toMatchObject({
    series: 'up',
    scale: 1,
    tag: 'host',
    kind: undefined,
    divide_by: undefined,
  });
  expect(ruleOf({ ...editable(rule), locate_by: 'name' }).tag).toBeUndefined();
});

test('the configuration names the address and the token', () => {
  expect(remoteWrite('https://reeve.example/api/v1/metrics/write', 'rvm_1')).toBe(
    'remote_write:\n  - url: https://reeve.example/api/v1/metrics/write\n    authorization:\n      credentials: rvm_1\n',
  );
});
