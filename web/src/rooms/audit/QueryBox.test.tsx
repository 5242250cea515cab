import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../api/problem';
import { show } from '../../testing/page';
import { QueryBox } from './QueryBox';

function wrong(asked: string, position: number | undefined, shift = 0) {
  const problem = new Problem({
    status: 422,
    code: 'invalid_query',
    title: 'The query is not valid',
    detail: 'unexpected )',
    position,
    hint: 'Remove it.',
  });
  show(
    <QueryBox
      value={asked}
      onChange={() => undefined}
      problem={problem}
      asked={asked}
      shift={shift}
    />,
  );
}

describe('QueryBox', () => {
  it('marks the place of a wrong query and says what to do', () => {
    wrong('a AND ) b', 6);
    expect(screen.getByLabelText('Wrong at character 7').querySelector('mark')).toHaveTextContent(
      ')',
    );
    expect(screen.getByRole('alert')).toHaveTextContent('unexpected )');
    expect(screen.getByRole('alert')).toHaveTextContent('Remove it.');
    expect(screen.getByRole('textbox', { name: 'Query' })).toBeInvalid();
  });

  it('marks the whole part where the service names it', () => {
    const problem = new Problem({
      status: 422,
      code: 'invalid_query',
      title: '',
      detail: 'At character 6: no such field',
      reason: 'no such field',
      position: 6,
      part: 'usr:x',
    });
    show(
      <QueryBox
        value="a AND usr:x"
        onChange={() => undefined}
        problem={problem}
        asked="a AND usr:x"
        shift={0}
      />,
    );
    expect(screen.getByRole('alert').querySelector('mark')).toHaveTextContent('usr:x');
    expect(screen.getByText('no such field')).toBeInTheDocument();
  });

  it('counts from where the typed part begins', () => {
    wrong('x )', 26, 24);
    expect(screen.getByLabelText('Wrong at character 3')).toBeInTheDocument();
  });

  it('counts characters, not code units', () => {
    wrong('😀 )', 2);
    expect(screen.getByLabelText('Wrong at character 3').querySelector('mark')).toHaveTextContent(
      ')',
    );
  });

  it('marks the end when the problem lies beyond', () => {
    wrong('(a', 99);
    expect(screen.getByLabelText('Wrong at character 3')).toBeInTheDocument();
  });

  it('shows no mark without a position', () => {
    wrong('(a', undefined);
    expect(screen.getByRole('alert').querySelector('mark')).toBeNull();
  });
});
