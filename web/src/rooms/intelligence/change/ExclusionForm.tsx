import { Select, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { EndInput, inDays, type Periods } from '../../../display/EndInput';
import { FormDialog } from '../../../display/FormDialog';
import { fromInput } from '../../../display/instants';
import { options } from '../../../display/wording';
import { TYPES, useChange } from '../queries';
import { exclude } from './queries';

interface Given {
  resource?: string;
  account?: string;
  type?: string;
}

const MARKED = ['resource', 'account', 'type', 'reason', 'until'];
const PERIODS: Periods = [
  ['1 month', 30],
  ['3 months', 91],
  ['1 year', 365],
  ['No end', undefined],
];

/** What is not to be recommended: a resource, an account, a type, or several of them together, with a reason and an end. */
export function ExclusionForm({ given = {}, onClose }: { given?: Given; onClose: () => void }) {
  const make = useChange(exclude);
  const form = useForm({
    initialValues: {
      resource: given.resource ?? '',
      account: given.account ?? '',
      type: given.type ?? '',
      reason: '',
      until: inDays(91),
    },
    validate: {
      resource: (value, values) =>
        value.trim() || values.account.trim() || values.type
          ? null
          : 'Give a resource, an account or a type',
      reason: (value) => (value.trim() === '' ? 'Enter a reason' : null),
      until: (value) =>
        value && new Date(value).getTime() <= Date.now() ? 'Choose a time in the future' : null,
    },
  });
  const submit = form.onSubmit(({ resource, account, type, reason, until }) => {
    make.mutate(
      {
        resource: resource.trim() || undefined,
        account: account.trim() || undefined,
        type: type || undefined,
        reason: reason.trim(),
        until: fromInput(until),
      },
      {
        onSuccess: () => {
          announce('Exclusion saved. Matching open recommendations were dismissed.');
          onClose();
        },
        onError: (error) => form.setErrors(fieldMessages(error)),
      },
    );
  });
  return (
    <FormDialog
      title="Exclude from recommendations"
      submit="Exclude"
      error={make.error}
      marked={MARKED}
      pending={make.isPending}
      onSubmit={submit}
      onClose={onClose}
      explain="All conditions must match. Matching open recommendations are dismissed with your reason and not created again until the exclusion ends."
    >
      <TextInput
        label="Resource"
        placeholder="Any; the provider's identifier"
        data-autofocus={given.resource ? undefined : true}
        {...form.getInputProps('resource')}
      />
      <TextInput label="Account" placeholder="Any" {...form.getInputProps('account')} />
      <Select
        label="Type of recommendation"
        placeholder="Any"
        clearable
        searchable
        data={options(TYPES)}
        {...form.getInputProps('type')}
        value={form.values.type || null}
        onChange={(value) => form.setFieldValue('type', value ?? '')}
      />
      <Textarea
        label="Reason"
        withAsterisk
        autosize
        minRows={2}
        data-autofocus={given.resource ? true : undefined}
        {...form.getInputProps('reason')}
      />
      <EndInput
        description="Your time zone. Leave empty for no end"
        periods={PERIODS}
        first="3 months"
        input={form.getInputProps('until')}
        onPick={(time) => form.setFieldValue('until', time)}
      />
    </FormDialog>
  );
}
