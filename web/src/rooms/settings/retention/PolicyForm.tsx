import { Button, NumberInput, SimpleGrid, TagsInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconTrash } from '@tabler/icons-react';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { FormDialog } from '../../../display/FormDialog';
import { useChange } from '../queries';
import { Effect } from './Effect';
import { savePolicies, type Policy, type Retention } from './queries';

const FIELDS = ['name', 'event_types', 'hot_days', 'warm_days', 'cold_years'] as const;
const NEW: Policy = { name: '', event_types: [], hot_days: 90, warm_days: 365, cold_years: 7 };

/**
 * A policy to add or to change, with the effect of all of them before they are saved. Without a
 * position, the policies are saved as they are.
 */
export function PolicyForm({
  retention,
  at,
  onClose,
}: {
  retention: Retention;
  at: number | null;
  onClose: () => void;
}) {
  const { policies, version } = retention;
  const save = useChange(savePolicies);
  const form = useForm<Policy>({ initialValues: (at !== null && policies[at]) || NEW });
  const changed =
    at === null ? policies : policies.with(Math.min(at, policies.length), form.values);
  const all = at !== null && at >= policies.length ? [...policies, form.values] : changed;
  const isOld = at !== null && at < policies.length;

  const put = (given: Policy[], said: string) =>
    save.mutate(
      { policies: given, version },
      {
        onSuccess: () => {
          announce(said);
          onClose();
        },
        onError: (error: Error) => form.setErrors(ownFields(fieldMessages(error), at ?? -1)),
      },
    );
  return (
    <FormDialog
      title={
        at === null ? 'Save the policies' : isOld ? `Change ${policies[at]?.name}` : 'Add a policy'
      }
      size="lg"
      explain="The most specific pattern decides about an event type. A period counts from the later of an entry's time and its recording."
      submit="Save"
      error={save.error}
      marked={FIELDS.map((field) => `policies[${at}].${field}`)}
      pending={save.isPending}
      onSubmit={form.onSubmit(() => put(all, 'Retention policies saved'))}
      onClose={onClose}
      aside={
        isOld && (
          <Button
            variant="subtle"
            color="red"
            leftSection={<IconTrash size={16} />}
            onClick={() =>
              put(
                policies.filter((_, index) => index !== at),
                'Policy removed',
              )
            }
          >
            Remove
          </Button>
        )
      }
    >
      {at !== null && (
        <>
          <TextInput
            label="Name"
            description="Lower-case letters, digits, hyphens and underscores"
            withAsterisk
            data-autofocus
            {...form.getInputProps('name')}
          />
          <TagsInput
            label="Event types"
            description="Types such as resource.delete, beginnings such as authentication.*, or *"
            withAsterisk
            {...form.getInputProps('event_types')}
          />
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <NumberInput
              label="Hot, days"
              min={1}
              allowDecimal={false}
              {...form.getInputProps('hot_days')}
            />
            <NumberInput
              label="Warm, days"
              min={0}
              allowDecimal={false}
              {...form.getInputProps('warm_days')}
            />
            <NumberInput
              label="Cold, years"
              min={0}
              allowDecimal={false}
              {...form.getInputProps('cold_years')}
            />
          </SimpleGrid>
        </>
      )}
      <Effect policies={all} />
    </FormDialog>
  );
}

/** Messages about the policy of the form, by its own fields. */
function ownFields(messages: Record<string, unknown>, at: number): Record<string, string> {
  const start = `policies[${at}].`;
  const own = Object.entries(messages).filter(([field]) => field.startsWith(start));
  return Object.fromEntries(own.map(([field, text]) => [field.slice(start.length), String(text)]));
}
