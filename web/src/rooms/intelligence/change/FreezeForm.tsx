import { SimpleGrid, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { Guardrails } from '../../../api/bodies';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { FormDialog } from '../../../display/FormDialog';
import { fromInput, toInput } from '../../../display/instants';
import { setGuardrails, useChange } from '../queries';
import { ofEntry, placed, policyOf, withPolicy } from './policy';
import { ScopeInputs } from './WindowForm';

interface Props {
  of: Guardrails;
  /** Which entry; the list's length is a new one. */
  at: number;
  onClose: () => void;
}

const FIELDS = ['name', 'accounts', 'services', 'from', 'until'];
const WEEK_MS = 7 * 86_400_000;

/** A time in which nothing is changed. */
export function FreezeForm({ of: guardrails, at, onClose }: Props) {
  const freezes = policyOf(guardrails).freezes;
  const known = freezes[at];
  const save = useChange(setGuardrails);
  const [now] = useState(() => Date.now());
  const form = useForm({
    initialValues: {
      name: known?.name ?? '',
      accounts: known?.accounts ?? [],
      services: known?.services ?? [],
      from: toInput(known ? new Date(known.from) : new Date(now)),
      until: toInput(new Date(known ? known.until : now + WEEK_MS)),
    },
    validate: {
      name: (value) => (value.trim() === '' ? 'Enter a name' : null),
      from: (value) => (fromInput(value) ? null : 'Enter a start'),
      until: (value, values) =>
        !fromInput(value)
          ? 'Enter an end'
          : value <= values.from
            ? 'The end must be after the start'
            : null,
    },
  });
  const submit = form.onSubmit(({ from, until, name, ...scope }) => {
    const freeze = {
      ...scope,
      name: name.trim(),
      from: fromInput(from) ?? '',
      until: fromInput(until) ?? '',
    };
    save.mutate(withPolicy(guardrails, { freezes: placed(freezes, at, freeze) }), {
      onSuccess: () => {
        announce('Freeze saved.');
        onClose();
      },
      onError: (error) => form.setErrors(ofEntry(fieldMessages(error), 'freezes', at)),
    });
  });
  return (
    <FormDialog
      title={known ? `Change ${known.name}` : 'Add a change freeze'}
      size="lg"
      submit={known ? 'Save' : 'Add freeze'}
      error={save.error}
      marked={FIELDS.map((field) => `change_control.freezes[${at}].${field}`)}
      pending={save.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        placeholder="Year end"
        withAsterisk
        data-autofocus
        {...form.getInputProps('name')}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="From"
          type="datetime-local"
          description="Your time zone"
          withAsterisk
          {...form.getInputProps('from')}
        />
        <TextInput
          label="Until"
          type="datetime-local"
          description="Your time zone"
          withAsterisk
          {...form.getInputProps('until')}
        />
      </SimpleGrid>
      <ScopeInputs
        account={form.getInputProps('accounts')}
        service={form.getInputProps('services')}
      />
    </FormDialog>
  );
}
