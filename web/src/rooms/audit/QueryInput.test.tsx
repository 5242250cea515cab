import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import { newQueryClient } from '../../api/query-client';
import { theme } from '../../theme/theme';
import { QueryInput } from './QueryInput';
import { fieldsQuery } from './queries';

function Field({ begin }: { begin: string }) {
  const [query, setQuery] = useState(begin);
  return <QueryInput label="Query" value={query} onChange={setQuery} />;
}

/** The field, entered, with the caret at a place. */
async function entered(begin: string, caret: number) {
  const client = newQueryClient();
  client.setQueryData(fieldsQuery.queryKey, {
    items: [
      { name: 'action.status', kind: 'name', sortable: true, values: ['success', 'failed'] },
      { name: 'severity', kind: 'name', sortable: true, values: ['info', 'high'] },
    ],
    total: 2,
  });
  render(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={client}>
        <Field begin={begin} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  const still = screen.getByRole<HTMLInputElement>('textbox', { name: 'Query' });
  still.focus();
  still.setSelectionRange(caret, caret);
  // The field with suggestions takes its place.
  const field = () => screen.getByLabelText<HTMLInputElement>('Query', { selector: 'input' });
  await waitFor(() => expect(field()).not.toBe(still));
  return field();
}

function typed(field: HTMLInputElement, text: string, caret: number) {
  // As a browser does: the text, then the event of the input, then that of the caret.
  const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set;
  setter?.call(field, text);
  field.setSelectionRange(caret, caret);
  fireEvent.input(field);
  fireEvent.select(field);
}

describe('QueryInput', () => {
  it('keeps the caret where the field was entered', async () => {
    const field = await entered('user:ann severity:high', 8);
    expect(field.selectionStart).toBe(8);
  });

  it('completes at the caret, and leaves the caret behind what was completed', async () => {
    const field = await entered(' AND severity:high', 0);
    typed(field, 'action.status:f AND severity:high', 15);
    const option = await screen.findByRole('option', { name: 'failed', hidden: true });
    fireEvent.click(option);
    expect(field.value).toBe('action.status:failed AND severity:high');
    await waitFor(() => expect(field.selectionStart).toBe(20));
  });
});
