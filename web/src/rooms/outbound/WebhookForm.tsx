import { Input, Select, SimpleGrid, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Webhook } from '../../api/bodies';
import { fieldMessages } from '../../api/problem';
import { announce } from '../../display/announce';
import { FormDialog } from '../../display/FormDialog';
import { options } from '../../display/wording';
import { EVENTS, filterOf, filterParts, FILTERS, FORMATS, WITH_FINDINGS } from './fields';
import { changeWebhook, createWebhook, useChange } from './queries';

interface Props {
  webhook?: Webhook;
  /** The secret of a new one, shown once by whoever opened the form. */
  onMade?: (secret: string, id: string) => void;
  onClose: () => void;
}

/** Where a program is told, of what, and narrowed to what. */
export function WebhookForm({ webhook, onMade, onClose }: Props) {
  const create = useChange(createWebhook);
  const patch = useChange(changeWebhook);
  const change = webhook ? patch : create;
  const form = useForm({
    initialValues: {
      name: webhook?.name ?? '',
      event: webhook?.event ?? 'recommendation_ready',
      format: webhook?.format ?? 'json',
      url: webhook?.url ?? '',
      parts: filterParts(webhook?.filter ?? ''),
      enabled: webhook?.enabled ?? true,
    },
    validate: { url: (value) => (value.trim() === '' ? 'Enter a full https:// address' : null) },
  });
  const { event } = form.values;
  const submit = form.onSubmit(({ parts, ...values }) => {
    const given = {
      ...values,
      format: WITH_FINDINGS.includes(event) ? values.format : ('json' as const),
      name: values.name.trim(),
      url: values.url.trim(),
      filter: filterOf(parts, event),
    };
    const onError = (error: Error) => form.setErrors(fieldMessages(error));
    if (webhook)
      patch.mutate(
        { id: webhook.id, version: webhook.version, ...given },
        {
          onSuccess: () => {
            announce('Webhook changed.');
            onClose();
          },
          onError,
        },
      );
    else create.mutate(given, { onSuccess: (made) => onMade?.(made.secret, made.id), onError });
  });
  return (
    <FormDialog
      title={webhook ? 'Change the webhook' : 'Add a webhook'}
      size="lg"
      submit={webhook ? 'Save' : 'Add webhook'}
      error={change.error}
      marked={['name', 'event', 'format', 'url', 'filter']}
      pending={change.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        placeholder="To the on-call tool"
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <TextInput
        label="Address"
        placeholder="https://hooks.example.com/reeve"
        description="https, and not inside your own network unless the configuration allows it"
        withAsterisk
        {...form.getInputProps('url')}
      />
      <Select label="Event" data={EVENTS} allowDeselect={false} {...form.getInputProps('event')} />
      {WITH_FINDINGS.includes(event) && (
        <Select
          label="Format"
          description={
            form.values.format === 'ocsf'
              ? 'Security findings alone, at each change of their status until they are closed'
              : undefined
          }
          data={FORMATS}
          allowDeselect={false}
          {...form.getInputProps('format')}
        />
      )}
      <Input.Wrapper
        label="Only when"
        description="All conditions must match. Leave empty to send every event"
        error={form.errors.filter}
        labelElement="div"
      >
        <SimpleGrid cols={{ base: 1, sm: 3 }} mt={8}>
          {FILTERS[event]?.map(({ key, label, values }) => (
            <Select
              key={key}
              label={label}
              placeholder="Any"
              clearable
              data={options(
                values.includes(form.values.parts[key] ?? '') || !form.values.parts[key]
                  ? values
                  : [...values, form.values.parts[key]],
              )}
              value={form.values.parts[key] ?? null}
              onChange={(value) =>
                form.setFieldValue('parts', { ...form.values.parts, [key]: value ?? '' })
              }
            />
          ))}
        </SimpleGrid>
      </Input.Wrapper>
      <Switch label="Switched on" {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </FormDialog>
  );
}
