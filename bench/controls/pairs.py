"""Checks of Prowler and checks of Reeve that ask the same thing.

A pair is (check of Prowler, checks of Reeve, fold). Several checks of Reeve count as failed if one failed. With a fold, all results of a side are
one result of the account: "any" fails if one failed, "all" only if every one failed.
"""

ASKED = {
    "s3": """
        s3_bucket_level_public_access_block s3.blocks_public_access
        s3_bucket_object_versioning s3.versioning_enabled
        s3_bucket_default_encryption s3.encrypted_by_default
        s3_bucket_kms_encryption s3.encrypted_with_own_key
        s3_bucket_server_access_logging_enabled s3.access_logging_enabled
        s3_bucket_secure_transport_policy s3.demands_tls
        s3_bucket_public_access s3.policy_lets_nobody_in+s3.acl_lets_nobody_in
        s3_bucket_public_list_acl s3.acl_lets_nobody_in
        s3_bucket_acl_prohibited s3.owner_enforced
        s3_bucket_no_mfa_delete s3.mfa_delete_enabled
        s3_bucket_object_lock s3.object_lock_enabled
        s3_bucket_lifecycle_enabled s3.lifecycle_rule_exists
        s3_bucket_cross_account_access s3.policy_lets_no_other_account_in
    """,
    "ec2": """
        ec2_securitygroup_allow_ingress_from_internet_to_tcp_port_22 ec2.no_ssh_from_everywhere
        ec2_securitygroup_allow_ingress_from_internet_to_tcp_port_3389 ec2.no_rdp_from_everywhere
        ec2_securitygroup_allow_ingress_from_internet_to_tcp_port_telnet_23 ec2.no_telnet_from_everywhere
        ec2_securitygroup_allow_ingress_from_internet_to_tcp_port_ftp_20_21 ec2.no_ftp_from_everywhere
        ec2_securitygroup_allow_ingress_from_internet_to_tcp_port_mysql_3306 ec2.no_mysql_from_everywhere
        ec2_securitygroup_allow_ingress_from_internet_to_tcp_port_postgres_5432 ec2.no_postgres_from_everywhere
        ec2_securitygroup_allow_ingress_from_internet_to_tcp_port_sql_server_1433_1434 ec2.no_sql_server_from_everywhere
        ec2_securitygroup_allow_ingress_from_internet_to_tcp_port_oracle_1521_2483 ec2.no_oracle_from_everywhere
        ec2_securitygroup_allow_ingress_from_internet_to_tcp_port_redis_6379 ec2.no_redis_from_everywhere
        ec2_securitygroup_allow_ingress_from_internet_to_tcp_port_mongodb_27017_27018 ec2.no_mongodb_from_everywhere
        ec2_securitygroup_allow_ingress_from_internet_to_tcp_port_memcached_11211 ec2.no_memcached_from_everywhere
        ec2_securitygroup_allow_ingress_from_internet_to_tcp_port_elasticsearch_kibana_9200_9300_5601 ec2.no_elasticsearch_from_everywhere+ec2.no_kibana_from_everywhere
        ec2_securitygroup_allow_ingress_from_internet_to_tcp_port_cassandra_7199_9160_8888 ec2.no_cassandra_from_everywhere
        ec2_securitygroup_allow_ingress_from_internet_to_tcp_port_kafka_9092 ec2.no_kafka_from_everywhere
        ec2_securitygroup_allow_ingress_from_internet_to_all_ports ec2.no_all_ports_from_everywhere
        ec2_securitygroup_default_restrict_traffic ec2.default_group_has_no_rules
        ec2_securitygroup_from_launch_wizard ec2.group_is_not_from_wizard
        ec2_securitygroup_allow_wide_open_public_ipv4 ec2.no_wide_ranges
        ec2_securitygroup_not_used ec2.group_is_used
        ec2_instance_imdsv2_enabled ec2.machine_requires_imdsv2
        ec2_instance_public_ip ec2.machine_has_no_public_address
        ec2_instance_detailed_monitoring_enabled ec2.machine_is_monitored_in_detail
        ec2_instance_profile_attached ec2.machine_has_a_role
        ec2_instance_paravirtual_type ec2.machine_is_hvm
        ec2_instance_uses_single_eni ec2.machine_has_one_interface
        ec2_instance_older_than_specific_days ec2.machine_was_started_this_half_year
        ec2_instance_port_ssh_exposed_to_internet ec2.machine_lets_no_stranger_administer_it
        ec2_instance_port_postgresql_exposed_to_internet ec2.machine_lets_no_stranger_reach_a_database
        ec2_ebs_volume_encryption ec2.volume_encrypted
        ec2_ebs_volume_snapshots_exists ec2.volume_has_recent_snapshot
        ec2_ebs_snapshots_encrypted ec2.snapshot_encrypted
        ec2_ebs_public_snapshot ec2.snapshot_is_private
        ec2_ebs_default_encryption ec2.new_volumes_are_encrypted any
        ec2_ami_public ec2.image_is_private
        ec2_elastic_ip_unassigned ec2.address_is_used
        ec2_launch_template_imdsv2_required ec2.template_requires_imdsv2
        ec2_launch_template_no_public_ip ec2.template_gives_no_public_address
        ec2_networkacl_allow_ingress_tcp_port_22 ec2.network_acl_opens_no_ssh
        ec2_networkacl_allow_ingress_tcp_port_3389 ec2.network_acl_opens_no_rdp
        ec2_networkacl_unused ec2.network_acl_is_used
        vpc_flow_logs_enabled ec2.network_has_flow_log
        vpc_subnet_no_public_ip_by_default ec2.subnet_assigns_no_public_addresses
        vpc_subnet_different_az ec2.network_spans_two_zones
        autoscaling_group_multiple_az autoscaling.group_spans_two_zones
        autoscaling_group_using_ec2_launch_template autoscaling.group_uses_launch_template
        autoscaling_group_multiple_instance_types autoscaling.group_mixes_machine_types
    """,
    "rds": """
        rds_instance_storage_encrypted rds.database_encrypted
        rds_instance_no_public_access rds.database_unreachable_from_internet
        rds_instance_backup_enabled rds.database_backed_up
        rds_instance_deletion_protection rds.database_protected_from_deletion
        rds_instance_minor_version_upgrade_enabled rds.database_takes_minor_upgrades
        rds_instance_multi_az rds.database_in_two_zones
        rds_instance_copy_tags_to_snapshots rds.database_copies_tags
        rds_instance_iam_authentication_enabled rds.database_iam_authentication
        rds_instance_integration_cloudwatch_logs rds.database_exports_logs
        rds_instance_enhanced_monitoring_enabled rds.database_enhanced_monitoring
        rds_instance_non_default_port rds.database_own_port
        rds_instance_default_admin rds.database_own_master_name
        rds_instance_deprecated_engine_version rds.database_version_supported
        rds_instance_certificate_expiration rds.database_certificate_current
        rds_snapshots_encrypted rds.snapshot_encrypted
        rds_snapshots_public_access rds.snapshot_not_public
        rds_cluster_storage_encrypted rds.cluster_encrypted
        rds_cluster_deletion_protection rds.cluster_protected_from_deletion
        rds_cluster_copy_tags_to_snapshots rds.cluster_copies_tags
        rds_cluster_iam_authentication_enabled rds.cluster_iam_authentication
        rds_cluster_integration_cloudwatch_logs rds.cluster_exports_logs
        rds_cluster_default_admin rds.cluster_own_master_name
        rds_cluster_multi_az rds.cluster_in_two_zones
        rds_cluster_minor_version_upgrade_enabled rds.cluster_takes_minor_upgrades
        dynamodb_tables_pitr_enabled dynamodb.table_recoverable
        dynamodb_tables_kms_cmk_encryption_enabled dynamodb.table_own_key
        dynamodb_table_deletion_protection_enabled dynamodb.table_protected_from_deletion
    """,
    "iam": """
        iam_customer_unattached_policy_no_administrative_privileges iam.policy_not_administrator
        iam_customer_attached_policy_no_administrative_privileges iam.policy_not_administrator
        iam_policy_allows_privilege_escalation iam.policy_no_privilege_escalation+iam.policy_passes_named_roles
        iam_policy_no_full_access_to_cloudtrail iam.policy_keeps_audit_log
        iam_policy_no_full_access_to_kms iam.policy_decrypts_with_named_keys
        iam_no_custom_policy_permissive_role_assumption iam.policy_assumes_named_roles
        iam_password_policy_minimum_length_14 iam.password_policy_long any
        iam_password_policy_symbol iam.password_policy_symbols any
        iam_password_policy_number iam.password_policy_numbers any
        iam_password_policy_uppercase iam.password_policy_upper_case any
        iam_password_policy_lowercase iam.password_policy_lower_case any
        iam_password_policy_reuse_24 iam.password_policy_no_reuse any
        iam_password_policy_expires_passwords_within_90_days_or_less iam.password_policy_expires any
        iam_root_mfa_enabled iam.summary_root_has_mfa any
        iam_no_root_access_key iam.summary_root_has_no_access_keys any
        iam_user_mfa_enabled_console_access iam.report_users_have_mfa any
        iam_user_two_active_access_key iam.report_one_active_key_each any
        iam_user_no_setup_initial_access_key iam.report_people_have_no_keys any
        iam_rotate_access_key_90_days iam.access_key_rotated any
        iam_check_saml_providers_sts iam.summary_has_identity_provider any
        iam_policy_attached_only_to_group_or_roles iam.user_permissions_through_groups+iam.user_no_inline_policies
        iam_user_administrator_access_policy iam.user_not_administrator
        iam_role_administratoraccess_policy iam.role_for_outsiders_not_administrator
        kms_cmk_rotation_enabled kms.rotates
        kms_cmk_not_deleted_unintentionally kms.not_being_deleted
        kms_key_not_publicly_accessible kms.policy_lets_nobody_in
        secretsmanager_automatic_rotation_enabled secretsmanager.rotates
        secretsmanager_not_publicly_accessible secretsmanager.policy_lets_nobody_in
    """,
    "watching": """
        cloudtrail_log_file_validation_enabled cloudtrail.trail_validates_files
        cloudtrail_kms_encryption_enabled cloudtrail.trail_own_key
        cloudtrail_cloudwatch_logging_enabled cloudtrail.trail_to_log_group
        cloudtrail_logs_s3_bucket_access_logging_enabled cloudtrail.trail_bucket_logs_access
        cloudtrail_logs_s3_bucket_is_not_publicly_accessible cloudtrail.trail_bucket_blocks_public_access
        cloudtrail_multi_region_enabled cloudtrail.trail_in_all_regions+cloudtrail.trail_logs all
        cloudtrail_s3_dataevents_read_enabled cloudtrail.trail_logs_objects all
        cloudtrail_s3_dataevents_write_enabled cloudtrail.trail_logs_objects all
        cloudtrail_insights_exist cloudtrail.trail_finds_unusual_activity
        cloudwatch_log_group_kms_encryption_enabled logs.encrypted_with_own_key
        cloudwatch_log_group_retention_policy_specific_days_enabled logs.kept_for_a_year
        cloudwatch_alarm_actions_enabled cloudwatch.alarm_actions_on
        cloudwatch_alarm_actions_alarm_state_configured cloudwatch.alarm_tells_somebody
        guardduty_is_enabled guardduty.enabled any
        guardduty_s3_protection_enabled guardduty.watches_buckets any
        guardduty_eks_audit_log_enabled guardduty.watches_kubernetes any
        guardduty_ec2_malware_protection_enabled guardduty.scans_disks any
        guardduty_rds_protection_enabled guardduty.watches_database_logins any
        guardduty_lambda_protection_enabled guardduty.watches_functions any
        guardduty_runtime_monitoring_enabled guardduty.watches_running_programs any
        config_recorder_all_regions_enabled config.recorder_runs any
        config_recorder_using_aws_service_role config.role_of_service any
        wafv2_webacl_logging_enabled waf.logs
        wafv2_webacl_with_rules waf.has_rules
    """,
    "messages and functions": """
        sqs_queues_server_side_encryption_enabled sqs.queue_encrypted
        sqs_queues_not_publicly_accessible sqs.queue_policy_lets_nobody_in
        sns_topics_kms_encryption_at_rest_enabled sns.topic_encrypted
        sns_topics_not_publicly_accessible sns.topic_policy_lets_nobody_in
        kinesis_stream_encrypted_at_rest kinesis.encrypted
        kinesis_stream_data_retention_period kinesis.kept_for_a_week
        awslambda_function_using_supported_runtimes lambda.runtime_supported
        awslambda_function_no_secrets_in_variables lambda.variables_hold_no_secrets
        awslambda_function_env_vars_not_encrypted_with_cmk lambda.variables_own_key
        awslambda_function_vpc_multi_az lambda.in_two_zones
        awslambda_function_not_publicly_accessible lambda.policy_lets_nobody_in
        stepfunctions_statemachine_logging_enabled stepfunctions.logs
        stepfunctions_statemachine_encrypted_with_cmk stepfunctions.encrypted_with_own_key
        mq_broker_not_publicly_accessible mq.not_public
        mq_broker_auto_minor_version_upgrades mq.minor_upgrades
        mq_broker_logging_enabled mq.logs
        mq_broker_active_deployment_mode mq.several_zones
    """,
    "edge": """
        elbv2_deletion_protection elb.protected_from_deletion
        elbv2_alb_drop_invalid_header_fields_enabled elb.drops_invalid_headers
        elbv2_logging_enabled elb.access_logs_enabled
        elbv2_desync_mitigation_mode elb.stops_request_smuggling
        elbv2_ssl_listeners elb.http_goes_to_https
        elbv2_insecure_ssl_ciphers elb.listener_refuses_old_tls
        elbv2_listeners_underneath elb.balancer_has_listeners
        elbv2_is_in_multiple_az elb.balancer_spans_two_zones
        elbv2_cross_zone_load_balancing_enabled elb.network_balancer_crosses_zones
        elb_cross_zone_load_balancing_enabled elb.classic_crosses_zones
        elb_connection_draining_enabled elb.classic_drains_connections
        elb_logging_enabled elb.classic_access_logs_enabled
        elb_ssl_listeners elb.classic_listeners_encrypt
        elb_ssl_listeners_use_acm_certificate elb.classic_certificate_from_acm
        elb_is_in_multiple_az elb.classic_spans_two_zones
        elb_desync_mitigation_mode elb.classic_stops_request_smuggling
        cloudfront_distributions_default_root_object cloudfront.root_object
        cloudfront_distributions_using_waf cloudfront.behind_firewall
        cloudfront_distributions_https_enabled cloudfront.demands_https
        cloudfront_distributions_origin_traffic_encrypted cloudfront.origins_over_tls
        cloudfront_distributions_using_deprecated_ssl_protocols cloudfront.origins_over_tls_1_2
        apigateway_restapi_tracing_enabled apigateway.traced
        apigateway_restapi_cache_encrypted apigateway.cache_encrypted
        apigateway_restapi_logging_enabled apigateway.errors_logged
        apigateway_restapi_waf_acl_attached apigateway.behind_firewall
        acm_certificates_transparency_logs_enabled acm.in_public_log
        acm_certificates_with_secure_key_algorithms acm.strong_key
    """,
    "storage": """
        efs_encryption_at_rest_enabled efs.encrypted
        efs_have_backup_enabled efs.backed_up
        efs_not_publicly_accessible efs.policy_lets_nobody_in
        efs_multi_az_enabled efs.several_zones
        redshift_cluster_encrypted_at_rest redshift.encrypted
        redshift_cluster_public_access redshift.not_public
        redshift_cluster_automatic_upgrades redshift.upgrades
        redshift_cluster_enhanced_vpc_routing redshift.stays_in_network
        redshift_cluster_automated_snapshot redshift.backed_up
        redshift_cluster_non_default_username redshift.administrator_renamed
        redshift_cluster_audit_logging redshift.logs_kept
        redshift_cluster_in_transit_encryption_enabled redshift.demands_tls
        elasticache_redis_cluster_automatic_failover_enabled elasticache.fails_over
        elasticache_redis_cluster_multi_az_enabled elasticache.several_zones
        elasticache_redis_cluster_in_transit_encryption_enabled elasticache.encrypted_in_transit
        elasticache_redis_cluster_rest_encryption_enabled elasticache.encrypted_at_rest
        elasticache_redis_cluster_backup_enabled elasticache.backed_up
        elasticache_redis_cluster_auto_minor_version_upgrades elasticache.minor_upgrades
        elasticache_redis_replication_group_auth_enabled elasticache.asks_who_comes
        opensearch_service_domains_encryption_at_rest_enabled opensearch.encrypted_at_rest
        opensearch_service_domains_node_to_node_encryption_enabled opensearch.encrypted_between_nodes
        opensearch_service_domains_https_communications_enforced opensearch.demands_https
        opensearch_service_domains_audit_logging_enabled opensearch.audit_logs
        opensearch_service_domains_access_control_enabled opensearch.fine_grained_access
        opensearch_service_domains_fault_tolerant_data_nodes opensearch.several_zones
        opensearch_service_domains_not_publicly_accessible opensearch.lets_nobody_in
        opensearch_service_domains_updated_to_the_latest_service_software_version opensearch.up_to_date
    """,
    "containers and builds": """
        eks_control_plane_logging_all_types_enabled eks.logs_audit
        eks_cluster_not_publicly_accessible eks.endpoint_not_open_to_everybody
        eks_cluster_kms_cmk_encryption_in_secrets_enabled eks.secrets_own_key
        eks_cluster_private_nodes_enabled eks.nodes_stay_in_network
        eks_cluster_deletion_protection_enabled eks.protected_from_deletion
        eks_cluster_uses_a_supported_version eks.version_supported
        ecs_cluster_container_insights_enabled ecs.cluster_insights
        ecs_task_definitions_containers_readonly_access ecs.root_file_system_read_only
        ecs_task_definitions_no_privileged_containers ecs.no_privileged_containers
        ecs_task_definitions_logging_enabled ecs.logs_kept
        ecs_task_definitions_host_namespace_not_shared ecs.no_host_processes
        ecs_task_definitions_no_environment_secrets ecs.no_secrets_in_variables
        ecs_task_definitions_host_networking_mode_users ecs.no_host_network
        codebuild_project_no_secrets_in_variables codebuild.no_secrets_in_variables
        codebuild_project_source_repo_url_no_sensitive_credentials codebuild.no_password_in_address
        codebuild_project_s3_logs_encrypted codebuild.bucket_logs_encrypted
        codebuild_project_logging_enabled codebuild.logs
        codebuild_project_not_publicly_accessible codebuild.not_public
        sagemaker_notebook_instance_without_direct_internet_access_configured sagemaker.no_direct_internet
        sagemaker_notebook_instance_root_access_disabled sagemaker.no_root
        sagemaker_notebook_instance_vpc_settings_configured sagemaker.in_network
        sagemaker_notebook_instance_encryption_enabled sagemaker.encrypted_with_own_key
    """,
}


def pairs():
    """(check of Prowler, checks of Reeve, fold or None), in the order of the table."""
    for lines in ASKED.values():
        for line in lines.split("\n"):
            if line.strip():
                theirs, ours, fold = (line.split() + [None])[:3]
                yield theirs, ["aws." + name for name in ours.split("+")], fold
