import { describe, expect, it } from 'vitest';
import { flat, given, initial, settingsGiven } from './agent-fields';

describe('agent fields', () => {
  it('begin with the defaults of the service', () => {
    expect(given({ ...initial(undefined), name: ' Nightly ' })).toEqual({
      name: 'Nightly',
      mode: 'learning',
      scope: { accounts: [], services: [] },
      schedule: '',
      schedule_time_zone: 'UTC',
      learning_period: '14d',
      confidence_threshold: '85%',
      auto_apply: { enabled: false, max_impact: 'low', approval_required: 'high_impact' },
      notifications: {
        recommendations: 'daily_digest',
        actions_taken: 'immediate',
        anomalies: 'immediate',
      },
      reason: undefined,
    });
  });

  it('send the settings that were changed, and an emptied one as its default', () => {
    const before = flat({ shrink: { cpu_below: '20%', window: '14d' }, on: true });
    expect(before).toEqual({ 'shrink.cpu_below': '20%', 'shrink.window': '14d', on: 'true' });
    const known = ['shrink.cpu_below', 'shrink.window', 'on'];
    expect(
      settingsGiven(
        { ...before, 'shrink.cpu_below': '35% ', 'shrink.window': '', other: '3d' },
        before,
        known,
      ),
    ).toEqual({ 'shrink.cpu_below': '35%', 'shrink.window': null });
    expect(settingsGiven(before, before, known)).toEqual({});
  });
});
