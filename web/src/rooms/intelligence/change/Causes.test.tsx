import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { show } from '../../../testing/page';
import { Causes } from './Causes';

const cause = (name: string, applies: boolean | undefined) => ({
  name,
  applies,
  evidence: `${name} seen`,
  way_out: `mend ${name}`,
});
const CAUSES = [
  cause('scope_wrong', true),
  cause('thin_history', false),
  cause('no_tags', undefined),
];

describe('causes', () => {
  it('shows those that apply with evidence and way out, and folds the others', () => {
    show(<Causes of={CAUSES} />);
    const applying = within(screen.getByRole('list', { name: 'Causes that apply' }));
    expect(applying.getAllByRole('listitem')).toHaveLength(1);
    expect(applying.getByText('scope_wrong seen')).toBeInTheDocument();
    expect(applying.getByText('mend scope_wrong')).toBeInTheDocument();
    expect(screen.getByText('2 other causes checked')).toBeInTheDocument();
    // A cause that does not apply needs no way out; one that cannot be judged keeps it.
    expect(screen.queryByText('mend thin_history')).toBeNull();
    expect(screen.getByText('mend no_tags')).toBeInTheDocument();
  });

  it('folds all where the condition is not the case', () => {
    show(<Causes of={CAUSES} folded />);
    expect(screen.queryByRole('list', { name: 'Causes that apply' })).toBeNull();
    expect(screen.getByText('3 causes checked, 1 applies')).toBeInTheDocument();
  });
});
