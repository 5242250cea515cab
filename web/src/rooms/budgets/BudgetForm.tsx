import type { components } from '../../api/schema';
import { Group, NumberInput, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useChannelNames } from '../../api/channel-types';
import { fieldMessages } from '../../api/problem';
import { useWorkspace } from '../../api/workspace';
import { announce } from '../../display/announce';
import { FormDialog } from '../../display/FormDialog';
import { changeBudget, createBudget, useChange, type Budget } from './queries';
import { listed, tagsOf, thresholdWords, thresholdsOf } from './wording';

const PERIODS = [
  { value: 'month', label: 'Month' },
  { value: 'quarter', label: 'Quarter' },
  { value: 'year', label: 'Year' },
];
const MARKED = ['name', 'amount', 'currency', 'period', 'thresholds', 'channels', 'recipients'];

export function BudgetForm({ budget, onClose }: { budget?: Budget; onClose: () => void }) {
  const channels = useChannelNames();
  const create = useChange(createBudget);
  const replace = useChange(changeBudget);
  const change = budget ? replace : create;
  const currency = useWorkspace()?.currency ?? 'USD';
  const scope = budget?.scope;
  const form = useForm({
    initialValues: {
      name: budget?.name ?? '',
      amount: (budget?.amount ?? '') as number | string,
      currency: budget?.currency ?? currency,
      period: budget?.period ?? 'month',
      providers: scope?.providers?.join(', ') ?? '',
      accounts: scope?.accounts?.join(', ') ?? '',
      services: scope?.services?.join(', ') ?? '',
      tags: scope?.tags?.map(({ name, value }) => `${name}=${value}`).join(', ') ?? '',
      thresholds: thresholdWords(
        budget?.thresholds ?? [
          { percent: 50, basis: 'actual' },
          { percent: 80, basis: 'actual' },
          { percent: 100, basis: 'actual' },
          { percent: 100, basis: 'forecast' },
        ],
      ),
      channels: budget?.channels.join(', ') ?? '',
      recipients: budget?.recipients.join(', ') ?? '',
    },
    validate: {
      name: (value) => (value.trim() === '' ? 'Enter a name' : null),
      amount: (value) => (Number(value) > 0 ? null : 'Enter an amount above 0'),
      tags: (value) => (tagsOf(value) ? null : 'Write tags as name=value, separated by commas'),
      thresholds: (value) =>
        thresholdsOf(value)?.length
          ? null
          : 'Write thresholds as 80, or as 100 forecast, separated by commas',
    },
  });
  const submit = form.onSubmit((given) => {
    const settings = {
      name: given.name.trim(),
      amount: Number(given.amount),
      currency: given.currency.trim(),
      period: given.period,
      scope: {
        providers: listed(given.providers),
        accounts: listed(given.accounts),
        services: listed(given.services),
        tags: tagsOf(given.tags) ?? [],
      },
      thresholds: (thresholdsOf(given.thresholds) ?? []).map(({ percent, basis }) => ({
        percent,
        basis: basis as components['schemas']['BudgetBasis'],
      })),
      channels: listed(given.channels),
      recipients: listed(given.recipients),
      version: budget?.version,
    };
    const done = {
      onSuccess: () => {
        announce(budget ? 'Budget changed.' : 'Budget added. It is evaluated within a minute.');
        onClose();
      },
      onError: (error: Error) => form.setErrors(fieldMessages(error)),
    };
    if (budget) replace.mutate({ id: budget.id, ...settings }, done);
    else create.mutate(settings, done);
  });
  return (
    <FormDialog
      title={budget ? `Change ${budget.name}` : 'Add a budget'}
      submit={budget ? 'Save' : 'Add budget'}
      size="lg"
      error={change.error}
      marked={MARKED}
      pending={change.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
      <Group grow align="flex-start">
        <NumberInput
          label="Amount"
          required
          min={0}
          decimalScale={2}
          thousandSeparator=","
          {...form.getInputProps('amount')}
        />
        <TextInput label="Currency" required {...form.getInputProps('currency')} />
        <Select
          label="Period"
          data={PERIODS}
          allowDeselect={false}
          {...form.getInputProps('period')}
        />
      </Group>
      <TextInput
        label="Providers"
        description="As bills name them, separated by commas; empty: all"
        {...form.getInputProps('providers')}
      />
      <TextInput
        label="Accounts"
        description="Identifiers or names; empty: all"
        {...form.getInputProps('accounts')}
      />
      <TextInput
        label="Services"
        description="As bills name them; empty: all"
        {...form.getInputProps('services')}
      />
      <TextInput
        label="Tags"
        placeholder="env=prod"
        description="Charges must have all of them"
        {...form.getInputProps('tags')}
      />
      <TextInput
        label="Thresholds"
        required
        description="Percent of the amount: 80 of actual charges, or 100 forecast"
        {...form.getInputProps('thresholds')}
      />
      <TextInput
        label="Channels"
        placeholder="email, slack"
        description={`${channels.join(', ')}, or the names of channels`}
        {...form.getInputProps('channels')}
      />
      <TextInput
        label="Recipients"
        description="E-mail addresses in place of the channels' own"
        {...form.getInputProps('recipients')}
      />
    </FormDialog>
  );
}
