import { Autocomplete, Chip, Group, Input, SimpleGrid, TagsInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Guardrails } from '../../../api/bodies';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { setGuardrails, useChange, useScopeChoices } from '../queries';
import { DurationInput } from '../../../display/DurationInput';
import { FormDialog } from '../../../display/FormDialog';
import { DAYS, knownZone } from './calendar';
import { ofEntry, placed, policyOf, withPolicy } from './policy';

interface Props {
  of: Guardrails;
  /** Which entry; the list's length is a new one. */
  at: number;
  onClose: () => void;
}

const FIELDS = ['name', 'accounts', 'services', 'days', 'start', 'duration_minutes', 'time_zone'];
const ZONES = Intl.supportedValuesOf('timeZone');

/** A time in the week at which what interrupts a resource may begin. */
export function WindowForm({ of: guardrails, at, onClose }: Props) {
  const windows = policyOf(guardrails).maintenance_windows;
  const known = windows[at];
  const save = useChange(setGuardrails);
  const form = useForm({
    initialValues: {
      name: known?.name ?? '',
      accounts: known?.accounts ?? [],
      services: known?.services ?? [],
      days: known?.days ?? [],
      start: known?.start ?? '22:00',
      duration_minutes: known?.duration_minutes ?? 240,
      time_zone: known?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    },
    validate: {
      name: (value) => (value.trim() === '' ? 'Enter a name' : null),
      start: (value) => (/^\d\d:\d\d$/.test(value) ? null : 'Give the time it opens'),
      time_zone: (value) =>
        knownZone(value) ? null : 'Give an IANA time zone, such as Europe/Berlin',
    },
  });
  const submit = form.onSubmit((values) => {
    save.mutate(
      withPolicy(guardrails, {
        maintenance_windows: placed(windows, at, { ...values, name: values.name.trim() }),
      }),
      {
        onSuccess: () => {
          announce('Window saved.');
          onClose();
        },
        onError: (error) =>
          form.setErrors(ofEntry(fieldMessages(error), 'maintenance_windows', at)),
      },
    );
  });
  return (
    <FormDialog
      title={known ? `Change ${known.name}` : 'Add a maintenance window'}
      size="lg"
      submit={known ? 'Save' : 'Add window'}
      error={save.error}
      marked={FIELDS.map((field) => `change_control.maintenance_windows[${at}].${field}`)}
      pending={save.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        placeholder="Nights"
        withAsterisk
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Input.Wrapper
        label="Days on which it opens"
        description="Leave empty for every day"
        error={form.errors.days}
      >
        <Chip.Group multiple {...form.getInputProps('days')}>
          <Group gap={6} mt={8}>
            {DAYS.map((day) => (
              <Chip key={day} value={day} size="xs">
                {day.charAt(0).toUpperCase() + day.slice(1, 3)}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
      </Input.Wrapper>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <TextInput label="Opens at" type="time" withAsterisk {...form.getInputProps('start')} />
        <DurationInput
          label="Stays open"
          unit="minutes"
          units={['minutes', 'hours']}
          max={1440}
          {...form.getInputProps('duration_minutes')}
        />
        <Autocomplete
          label="Time zone"
          data={ZONES}
          limit={50}
          maxDropdownHeight={240}
          {...form.getInputProps('time_zone')}
        />
      </SimpleGrid>
      <ScopeInputs
        account={form.getInputProps('accounts')}
        service={form.getInputProps('services')}
      />
    </FormDialog>
  );
}

type Input = ReturnType<ReturnType<typeof useForm>['getInputProps']>;

/** What a window or freeze covers. */
export function ScopeInputs({ account, service }: { account: Input; service: Input }) {
  const { accounts, services } = useScopeChoices();
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TagsInput
        label="Accounts"
        placeholder="All"
        description="Connected accounts"
        data={accounts}
        {...account}
      />
      <TagsInput
        label="Services"
        placeholder="All"
        description="Services of the inventory"
        data={services}
        {...service}
      />
    </SimpleGrid>
  );
}
