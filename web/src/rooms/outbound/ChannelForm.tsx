import type { components } from '../../api/schema';
import {
  Chip,
  Group,
  Input,
  NumberInput,
  PasswordInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Switch,
  TagsInput,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Channel } from '../../api/bodies';
import { fieldMessages } from '../../api/problem';
import { announce } from '../../display/announce';
import { FormDialog } from '../../display/FormDialog';
import {
  channelFields,
  KIND_NAMES,
  KINDS,
  SECRETS,
  settingsOf,
  TOPICS,
  type ChannelFields,
} from './fields';
import { changeChannel, createChannel, useChange } from './queries';

interface Props {
  channel?: Channel;
  onMade?: (id: string) => void;
  onClose: () => void;
}

const MARKED = [
  'name',
  'secret',
  'topics',
  'settings.host',
  'settings.port',
  'settings.encryption',
  'settings.username',
  'settings.from',
  'settings.to',
  'settings.url',
];

/** Where people are told. Secrets go in and never come out: empty means unchanged. */
export function ChannelForm({ channel, onMade, onClose }: Props) {
  const create = useChange(createChannel);
  const patch = useChange(changeChannel);
  const change = channel ? patch : create;
  const form = useForm<ChannelFields>({
    initialValues: channelFields(channel),
    validate: {
      name: (value) => (value.trim() === '' ? 'Enter a name' : null),
      secret: (value, { type }) =>
        !channel && type !== 'email' && value.trim() === ''
          ? `Give the ${SECRETS[type]?.label.toLowerCase() ?? 'secret'}`
          : null,
      settings: {
        host: (value, { type }) =>
          type === 'email' && value.trim() === '' ? 'Enter the mail server' : null,
        from: (value, { type }) =>
          type === 'email' && value.trim() === '' ? 'Enter the sender' : null,
        to: (value, { type }) =>
          type === 'email' && value.length === 0 ? 'Enter at least one recipient' : null,
      },
    },
  });
  const { type } = form.values;
  const secret = SECRETS[type];
  const submit = form.onSubmit((values) => {
    const shared = {
      name: values.name.trim(),
      settings: settingsOf(values),
      topics: values.topics as components['schemas']['ChannelTopic'][],
      enabled: values.enabled,
    };
    const onError = (error: Error) => form.setErrors(fieldMessages(error));
    if (channel) {
      patch.mutate(
        { id: channel.id, version: channel.version, ...shared, secret: values.secret || undefined },
        {
          onSuccess: () => {
            announce('Channel changed.');
            onClose();
          },
          onError,
        },
      );
    } else {
      create.mutate(
        {
          ...shared,
          type: type as components['schemas']['ChannelType'],
          secret: values.secret.trim(),
        },
        { onSuccess: ({ id }) => onMade?.(id), onError },
      );
    }
  });
  return (
    <FormDialog
      title={channel ? `Change ${channel.name}` : 'Add a channel'}
      size="lg"
      submit={channel ? 'Save' : 'Add channel'}
      error={change.error}
      marked={MARKED}
      pending={change.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      {channel ? (
        <TextInput label="Type" value={KIND_NAMES[type] ?? type} readOnly variant="filled" />
      ) : (
        <Select label="Type" data={KINDS} allowDeselect={false} {...form.getInputProps('type')} />
      )}
      <TextInput
        label="Name"
        placeholder={type === 'slack' ? '#cloud' : 'Operations'}
        withAsterisk
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      {type === 'email' && <Email form={form} />}
      {secret && (
        <PasswordInput
          label={secret.label}
          description={secret.description}
          withAsterisk={!channel && type !== 'email'}
          autoComplete="off"
          placeholder={channel ? 'Unchanged' : secret.placeholder}
          aria-invalid={form.errors.secret ? true : undefined}
          {...form.getInputProps('secret')}
        />
      )}
      {type === 'pagerduty' && (
        <TextInput
          label="Address for events"
          description="Empty: the US region's; the EU region's is https://events.eu.pagerduty.com/v2/enqueue"
          placeholder="https://events.pagerduty.com/v2/enqueue"
          {...form.getInputProps('settings.url')}
        />
      )}
      <Input.Wrapper
        label="Events"
        description="Leave empty to send every event"
        error={form.errors.topics}
        labelElement="div"
      >
        <Chip.Group multiple {...form.getInputProps('topics')}>
          <Group gap={6} mt={8}>
            {TOPICS.map(({ value, label }) => (
              <Chip key={value} value={value} size="xs">
                {label}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
      </Input.Wrapper>
      <Switch label="Switched on" {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </FormDialog>
  );
}

function Email({
  form,
}: {
  form: Pick<ReturnType<typeof useForm<ChannelFields>>, 'getInputProps' | 'values'>;
}) {
  const tls = form.values.settings.encryption === 'tls';
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="Mail server"
          placeholder="smtp.example.com"
          withAsterisk
          {...form.getInputProps('settings.host')}
        />
        <Group gap="sm" align="flex-start" wrap="nowrap">
          <NumberInput
            label="Port"
            min={1}
            max={65535}
            allowDecimal={false}
            placeholder={tls ? '465' : '587'}
            w={96}
            {...form.getInputProps('settings.port')}
          />
          <Input.Wrapper label="Encryption" labelElement="div" labelProps={{ display: 'block' }}>
            <SegmentedControl
              aria-label="Encryption"
              data={[
                { value: 'starttls', label: 'STARTTLS' },
                { value: 'tls', label: 'TLS' },
              ]}
              {...form.getInputProps('settings.encryption')}
            />
          </Input.Wrapper>
        </Group>
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="From"
          placeholder="Reeve <reeve@example.com>"
          withAsterisk
          {...form.getInputProps('settings.from')}
        />
        <TextInput
          label="User who signs in"
          placeholder="No one"
          autoComplete="off"
          {...form.getInputProps('settings.username')}
        />
      </SimpleGrid>
      <TagsInput
        label="To"
        description="Press Enter after each address"
        withAsterisk
        {...form.getInputProps('settings.to')}
      />
    </>
  );
}
