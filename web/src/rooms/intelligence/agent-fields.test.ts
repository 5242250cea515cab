import { describe, expect, it } from 'vitest';
import { given, initial } from './agent-fields';

describe('agent fields', () => {
  it('begin with the defaults of the service', () => {
    expect(given({ ...initial(undefined), name: ' Nightly ' })).toEqual({
      name: 'Nightly', mode: 'learning', scope: { accounts: [], services: [] }, schedule: '', schedule_time_zone: 'UTC', learning_period: '14d', confidence_threshold: '85%',
      auto_apply: { enabled: false, max_impact: 'low', approval_required: 'high_impact' },
      notifications: { recommendations: 'daily_digest', actions_taken: 'immediate', anomalies: 'immediate' }, reason: undefined,
    });
  });
});
