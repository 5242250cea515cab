import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Problem } from '../api/problem';
import { show } from '../testing/page';
import { ProblemAlert } from './ProblemAlert';

it.each([
  [500, 1],
  [404, 0],
  [403, 0],
])('a status of %i offers to try again %i times', (status, times) => {
  const error = new Problem({ status, code: 'x', title: 'It failed', detail: '' });
  show(<ProblemAlert error={error} onRetry={() => undefined} />);
  expect(screen.queryAllByRole('button', { name: 'Try again' })).toHaveLength(times);
});
